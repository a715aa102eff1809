// An extension of pi: shortens results of tools by `mckp hook pi`.
// Copy it to ~/.pi/agent/extensions/; MCKP names the program if it is not on the PATH, and its options.
import { spawn } from "node:child_process"

const [PROGRAM, ...OPTIONS] = (process.env.MCKP || "mckp").split(" ")
const PATIENCE_MS = 60_000
const SESSION = `${process.pid}-${Date.now()}`
const EXACT = ["read", "edit", "write"] // edits rely on what these say

/** Return the shorter text, or null: whatever fails, the result stays as it is. */
function shortened(event) {
  return new Promise((resolve) => {
    const child = spawn(PROGRAM, ["hook", "pi", ...OPTIONS], {
      stdio: ["pipe", "pipe", "ignore"],
    })
    const timer = setTimeout(() => child.kill(), PATIENCE_MS)
    let said = ""
    child.on("error", () => {
      clearTimeout(timer)
      resolve(null)
    })
    child.stdin.on("error", () => resolve(null))
    child.stdout.setEncoding("utf8").on("data", (part) => (said += part))
    child.on("close", () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(said).text ?? null)
      } catch {
        resolve(null)
      }
    })
    child.stdin.end(JSON.stringify(event))
  })
}

export default function (pi) {
  pi.on("tool_result", async (event) => {
    if (event.isError || EXACT.includes(event.toolName)) return
    if (event.content.some((block) => block.type !== "text")) return // a picture would be lost
    const text = await shortened({
      session: SESSION,
      tool: event.toolName,
      args: event.input,
      cwd: process.cwd(),
      shell: event.toolName === "bash",
      text: event.content.map((block) => block.text).join("\n"),
    })
    if (text !== null) return { content: [{ type: "text", text }] }
  })
}
