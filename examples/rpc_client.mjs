#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// A whole client of `ptc-host rpc` for Node, without packages: it runs scripts that call functions
// of this program, several at once.      node rpc_client.mjs [PTC_HOST]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

class PtcHost {
  constructor(program = "ptc-host", ...options) {
    this.process = spawn(program, ["rpc", ...options], { stdio: ["pipe", "pipe", "inherit"] });
    this.functions = {};
    this.waiting = new Map();
    this.lastId = 0;
    const lines = createInterface({ input: this.process.stdout });
    lines.on("line", (line) => this.take(JSON.parse(line)));
    const ended = new Error("ptc-host has ended");
    this.process.on("close", () => this.waiting.forEach(({ reject }) => reject(ended)));
  }
  send(message) {
    this.process.stdin.write(JSON.stringify(message) + "\n");
  }
  request(method, fields = {}, onOutput) {
    const id = ++this.lastId;
    this.send({ id, method, ...fields });
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject, onOutput }));
  }
  take(message) {
    const { type, id, run } = message;
    if (type === "hello" && message.protocol !== 1) throw new Error("another protocol");
    if (type === "call") this.serve(message);
    if (type === "event" && message.event === "output")
      this.waiting.get(run)?.onOutput?.(message.data);
    if (type !== "result" && type !== "error") return;
    const error = type === "error" && new Error(`${message.code}: ${message.message}`);
    if (error && id === null) throw error;
    if (error) this.waiting.get(id)?.reject(error);
    else this.waiting.get(id)?.resolve(message.result);
    this.waiting.delete(id);
  }
  async serve({ call, tool, args }) {
    try {
      this.send({ method: "reply", call, result: (await this.functions[tool](args)) ?? null });
    } catch (error) {
      this.send({ method: "reply", call, error: String(error) });
    }
  }
  tool(name, description, properties, fn) {
    this.functions[name] = fn;
    const parameters = { type: "object", properties, required: Object.keys(properties) };
    return this.request("register_tool", { name, description, parameters });
  }
  async close() {
    this.process.stdin.end();
    return this.process.exitCode ?? (await once(this.process, "close"))[0];
  }
}

const host = new PtcHost(...process.argv.slice(2, 3));
const prices = { apple: 30, pear: 45 };
const article = { article: { type: "string" } };
await host.tool("price", "The price of an article in cents.", article, async ({ article }) => {
  if (!(article in prices)) throw new Error(`no price for ${article}`);
  return { cents: prices[article] };
});
const script = (name) => `import hermes_tools\nprint(hermes_tools.price("${name}")["cents"])`;
const results = await Promise.all(["apple", "pear", "melon"].map((name) =>
  host.request("run", { code: script(name), options: { timeout: 30 } })));
for (const { status, output, error } of results) console.log(status, (error ?? output).trim());
process.exitCode = await host.close();
