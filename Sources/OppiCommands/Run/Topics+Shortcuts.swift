// SPDX-License-Identifier: MIT

import CommandTable

extension Topics {
  static let shortcutFile = HelpTopic(
    name: "shortcut-file",
    summary: "The file of a shortcut",
    explains: ["NAME=VALUE"],
    body: """
      A shortcut is the file shortcuts/NAME.json, JSON with comments. 'oppi shortcuts add' writes it, \
      'oppi shortcuts edit NAME' opens it in your editor, and any other editor will do. A member that \
      is unknown or has an unusable value is an error when the shortcut is run:

        {
          "workspace": "studio/api",
          "prompt": "review the branch {{branch}}",
          "variables": {"branch": "main"},
          "timeout": "10m"
        }

      A prompt of several lines is the text file NAME.txt in the same folder; the shortcut then has \
      the member promptFile with that name in place of prompt.
      """,
    lists: [
      HelpList(
        "Members of a shortcut",
        Shortcut.shape.rows + [
          HelpRow(Shortcut.promptFileMember, "In place of prompt: NAME.txt, which has the prompt")
        ]
      )
    ]
  )
}
