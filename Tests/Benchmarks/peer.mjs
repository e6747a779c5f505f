// SPDX-License-Identifier: MIT
// An ask as a node script without packages: node peer.mjs PORT TOKEN WORKSPACE [tls]
import { randomUUID } from "node:crypto";
import http from "node:http";
import https from "node:https";

const [port, token, workspace, tls] = process.argv.slice(2);
const post = (tls ? https : http).request(
  {
    host: "127.0.0.1", port, agent: false, rejectUnauthorized: false, method: "POST",
    path: `/workspaces/${workspace}/sessions`,
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
  },
  (response) => {
    let body = "";
    response.on("data", (data) => { body += data; });
    response.on("end", () => console.log(JSON.parse(body).session.id));
  });
post.end(JSON.stringify({ idempotencyKey: randomUUID(), prompt: "hi" }));
