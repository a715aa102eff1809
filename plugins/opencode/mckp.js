// A plugin of opencode: shortens results of tools by `mckp hook opencode`.
// Copy it to ~/.config/opencode/plugin/; MCKP names the program if it is not on the PATH, and its options.
import { spawn } from "node:child_process"

const [PROGRAM, ...OPTIONS] = (process.env.MCKP || "mckp").split(" ")
const PATIENCE_MS = 60_000

/** Return the shorter text, or null: whatever fails, the result stays as it is. */
function shortened(event) {
  return new Promise((resolve) => {
    const child = spawn(PROGRAM, ["hook", "opencode", ...OPTIONS], {
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

export const Mckp = async ({ directory } = {}) => ({
  "tool.execute.after": async (input, output) => {
    const event = { session: input.sessionID, tool: input.tool, args: input.args, cwd: directory }
    if (input.tool === "bash" && typeof output.output === "string") {
      const text = await shortened({ ...event, shell: true, text: output.output })
      if (text !== null) output.output = text
    } else if (Array.isArray(output.content)) {
      if (output.content.some((block) => block.type !== "text")) return // a picture would be lost
      const text = await shortened({ ...event, result: output })
      if (text === null) return
      output.content = [{ type: "text", text }]
      delete output.structuredContent // opencode shows it only where there is no text
    }
  },
})
