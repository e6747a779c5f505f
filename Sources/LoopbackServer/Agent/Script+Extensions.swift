// SPDX-License-Identifier: MIT

import OppiModel

extension Script {
  /// What extensions of the agent do beside the conversation.
  static let extensions = [
    asking(.confirmation, word: "ask confirm"),
    asking(.selection, word: "ask select"),
    asking(.input, word: "ask input"),
    asking(.editor, word: "ask editor"),
    Script(
      words: ["set status"],
      steps: [
        .notify(["method": "setStatus", "statusKey": "build", "statusText": "running"]),
        .say(text: "The status is set."),
      ]
    ),
    Script(
      words: ["notify"],
      steps: [
        .notify([
          "method": "notify", "message": "Something happened", "notifyType": "warning",
        ]),
        .say(text: "Notified."),
      ]
    ),
  ]

  private static func asking(_ dialog: Dialog, word: String) -> Script {
    Script(words: [word], steps: [.show(dialog), .report { "You answered: \($0.output)" }])
  }
}
