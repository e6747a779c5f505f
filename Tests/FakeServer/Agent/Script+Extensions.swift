// SPDX-License-Identifier: MIT

import OppiModel

extension Script {
  static let extensions = [
    asking(.confirmation, word: "ask confirm", effect: "opens a confirmation dialog"),
    asking(.selection, word: "ask select", effect: "opens a selection dialog"),
    asking(.input, word: "ask input", effect: "opens a text dialog"),
    asking(.editor, word: "ask editor", effect: "opens a dialog for a longer text"),
    Script(
      words: ["two gates"],
      effect: "asks in two dialogs at once",
      steps: [
        .say(
          text: "Both need an answer.",
          calls: [
            .bash("rm -rf ./cache", .prints(["no cache\n"]), isGated: true),
            .bash("rm -rf ./build", .prints(["no build\n"]), isGated: true),
          ]
        ),
        .report { $0.isError ? "Not cleared: \($0.output)" : "Both are cleared." },
      ]
    ),
    Script(
      words: ["gate"],
      effect: "asks in a dialog before rm -rf",
      steps: [
        .say(
          text: "I will clear the build.",
          calls: [.bash("rm -rf ./build", .prints([""]), isGated: true)]
        ),
        .report { $0.isError ? "Not cleared: \($0.output)" : "The build is cleared." },
      ]
    ),
    Script(
      words: ["set status"],
      effect: "sets the status of an extension",
      steps: [
        .notify(["method": "setStatus", "statusKey": "build", "statusText": "running"]),
        .say(text: "The status is set."),
      ]
    ),
    Script(
      words: ["notify"],
      effect: "sends a notification",
      steps: [
        .notify([
          "method": "notify", "message": "Something happened", "notifyType": "warning",
        ]),
        .say(text: "Notified."),
      ]
    ),
  ]

  private static func asking(_ dialog: Dialog, word: String, effect: String) -> Script {
    Script(
      words: [word],
      effect: effect,
      steps: [.show(dialog), .report { "You answered: \($0.output)" }]
    )
  }
}
