// The slider of the front page: shows all examples within the budget that is chosen.
"use strict";

const section = document.querySelector("#budgets");
const { stops, panels } = JSON.parse(section.querySelector("script").textContent);
const slider = section.querySelector("input");
const label = section.querySelector("output");

/** Fill a pane with the lines of a text; lines that mark cuts get a class. */
function fill(pane, text) {
  pane.replaceChildren(...text.trimEnd().split("\n").flatMap((line) => {
    const row = document.createElement("span");
    row.textContent = line;
    row.className = /^(> \[|…)/.test(line) ? "cut" : "";
    return [row, "\n"];
  }));
  pane.scrollTop = 0;
}

function show() {
  const stop = Number(slider.value);
  label.textContent = stops[stop];
  slider.setAttribute("aria-valuetext", stops[stop]);
  section.querySelectorAll("figure").forEach((figure, number) => {
    const { texts, tokens, shares } = panels[number];
    figure.querySelector(".tokens").textContent = tokens[stop].toLocaleString("en");
    figure.querySelector("meter").value = shares[stop];
    fill(figure.querySelector(".after"), texts[stop]);
  });
}

slider.addEventListener("input", show);
section.querySelector(".slider").hidden = false;
show();
