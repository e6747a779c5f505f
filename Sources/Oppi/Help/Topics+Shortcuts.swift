// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

extension Topics {
  static let shortcutFile = HelpTopic(
    name: "shortcut-file",
    summary: "The file of a shortcut",
    explains: ["NAME=VALUE"],
    body: """
      A shortcut is a file shortcuts/NAME.json, JSON with comments. 'oppi shortcuts add' creates \
      it, 'oppi shortcuts edit NAME' opens it in your editor; you can also edit it directly. \
      'oppi run' fails if a member is unknown or has an invalid value:

          {
            "workspace": "studio/api",
            "prompt": "review the branch {{branch}}",
            "variables": {"branch": "main"},
            "timeout": "10m"
          }

      A prompt of several lines can be in the text file NAME.txt in the same folder; the \
      shortcut then has the member promptFile instead of prompt.
      """,
    lists: [
      HelpList(
        "Members of a shortcut",
        Shortcut.shape.rows + [
          HelpRow(
            Shortcut.promptFileMember,
            "Instead of prompt: NAME.txt, the file with the prompt"
          )
        ]
      )
    ]
  )
}
