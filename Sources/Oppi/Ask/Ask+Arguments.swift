// SPDX-License-Identifier: MIT

import CommandTable

extension Ask {
  static var arguments: [Argument<Options>] {
    [
      .workspace(\.workspaces, "Send the prompt to this workspace"),
      .model(\.model),
      .thinking(\.thinking),
      .session(\.session, "Continue this session"),
      .promptFile(\.file),
      .option("image", placeholder: "FILE", completion: .file, \.images, "Attach an image"),
      .option("name", \.name, "Set the title of the new session"),
      .flag("wait", \.isWaiting, "Wait for the turn to end and print the answer"),
      .flag("follow", \.isFollowing, "Like --wait, and show the turn live"),
      .flag("plain", \.isPlain, "With --follow: print one line per change and redraw nothing"),
      .onAsk(\.onAsk),
      .onLimit(\.onLimit),
      .maxCost(\.maxCost),
      .schema(\.schema),
      .verify(\.verify),
      .verifyRetries(\.verifyRetries),
      .then(\.then),
      .flag("again", \.isAgain, "Resend the last prompt, or prompt N of 'oppi history'"),
      .flag("queue", \.isQueueing, "Queue the prompt if it cannot be delivered now"),
      .option("expires", \.expiry, "With --queue: do not deliver the prompt after this time"),
      .option("key", placeholder: "KEY", \.key, "Deliver the prompt at most once for this key"),
      .desktop(\.desktop),
      .flag("dry-run", short: "n", \.isDryRun, "Show what would be sent, without sending it"),
      .positional("prompt", \.prompt, "The prompt, or - for standard input"),
    ]
  }
}
