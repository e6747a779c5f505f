// SPDX-License-Identifier: MIT

import CommandTable

extension Ask {
  static var arguments: [Argument<Options>] {
    [
      .workspace(\.workspaces, "Ask in this workspace"),
      .option(
        "model",
        short: "m",
        placeholder: "MODEL",
        completion: .dynamic("model"),
        \.model,
        "Use this model"
      ),
      .option(
        "thinking",
        short: "t",
        placeholder: "LEVEL",
        \.thinking,
        "How hard the model thinks"
      ),
      .option(
        "session",
        short: "s",
        completion: .dynamic("session"),
        \.session,
        "Go on in this session"
      ),
      .option(
        "file",
        short: "F",
        placeholder: "FILE",
        completion: .file,
        \.file,
        "Read the prompt from FILE, - for standard input"
      ),
      .option(
        "image",
        placeholder: "FILE",
        completion: .file,
        \.images,
        "Attach this picture"
      ),
      .option("name", \.name, "Give the new session this title"),
      .flag("wait", \.isWaiting, "Wait for the turn and print the answer"),
      .flag("follow", \.isFollowing, "Wait, and show the turn live"),
      .flag("plain", \.isPlain, "With --follow: one line a change, no card"),
      .option(
        "on-ask",
        placeholder: "WHAT",
        \.onAsk,
        "With --wait: what to do when a human is asked"
      ),
      .flag("again", \.isAgain, "Ask the last prompt again, or number N of history"),
      .flag("queue", \.isQueueing, "Keep it where it cannot be delivered now"),
      .option("expires", \.expiry, "With --queue: drop it after this time"),
      .option("key", placeholder: "KEY", \.key, "Run it once under this key, however often asked"),
      .option("gui", \.desktop, "Tell the outcome as a desktop notification"),
      .flag("dry-run", short: "n", \.isDryRun, "Show what would be sent, send nothing"),
      .positional("prompt", \.prompt, "The prompt, or - for standard input"),
    ]
  }
}
