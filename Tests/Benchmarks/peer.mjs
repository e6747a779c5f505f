// SPDX-License-Identifier: MIT
// An ask as a node script without packages: node peer.mjs PORT TOKEN WORKSPACE [tls]
import http from "node:http";
import https from "node:https";

const [port, token, workspace, tls] = process.argv.slice(2);
const client = tls ? https : http;
const options = {
  host: "127.0.0.1", port, agent: false, rejectUnauthorized: false,
  headers: { Authorization: `Bearer ${token}` },
};

function frame(message) {
  const text = Buffer.from(JSON.stringify(message));
  const head = text.length < 126
    ? Buffer.from([0x81, 0x80 | text.length])
    : Buffer.from([0x81, 0xfe, text.length >> 8, text.length & 0xff]);
  return Buffer.concat([head, Buffer.alloc(4), text]);
}

function converse(session) {
  const request = client.get({
    ...options, path: "/stream",
    headers: {
      ...options.headers, Connection: "Upgrade", Upgrade: "websocket",
      "Sec-WebSocket-Version": 13, "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    },
  });
  request.on("upgrade", (_, socket) => {
    socket.write(frame({ type: "subscribe", sessionId: session, level: "full", requestId: "1" }));
    let seen = "", isSubscribed = false;
    socket.on("data", (data) => {
      seen += data;
      if (!isSubscribed && seen.includes('"command":"subscribe"')) {
        isSubscribed = true;
        socket.write(frame({
          type: "prompt", sessionId: session, message: "hi", requestId: "2",
          clientTurnId: `node-${session}`,
        }));
      } else if (seen.includes('"agent_start"')) {
        console.log(session);
        process.exit(0);
      }
    });
  });
}

const post = client.request(
  { ...options, method: "POST", path: `/workspaces/${workspace}/sessions` },
  (response) => {
    let body = "";
    response.on("data", (data) => { body += data; });
    response.on("end", () => converse(JSON.parse(body).session.id));
  });
post.setHeader("Content-Type", "application/json");
post.end("{}");
