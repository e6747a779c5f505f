// SPDX-License-Identifier: MIT

import OppiModel

extension Script {
  static let standard = Script(
    words: [],
    effect: "runs a command",
    steps: [
      .say(
        thinking: "A small thing; one quick command will do.",
        text: "Let me run a quick command.",
        calls: [.bash("echo hi", .prints(["hi\n"]))]
      ),
      .say(text: "The command printed: hi"),
    ]
  )

  /// The scripts with their words; the first match is used.
  static let table = conversations + [document, migration] + extensions

  private static let conversations: [Script] = [
    Script(
      words: ["approve", "deploy"],
      effect: "asks before git push",
      steps: [
        .say(
          thinking: "This needs approval.",
          text: "I will push the branch.",
          calls: [
            .bash(
              "git push origin main",
              .prints(["main -> main\n"]),
              approvalReason: "Git push"
            )
          ]
        ),
        .report { $0.isError ? "Not pushed: \($0.output)" : "The branch is pushed." },
      ]
    ),
    Script(
      words: ["wipe"],
      effect: "asks before rm -rf",
      steps: [
        .say(
          text: "I will clear the build.",
          calls: [
            .bash("rm -rf ./build", .prints([""]), approvalReason: "Recursive delete")
          ]
        ),
        .report { $0.isError ? "Not cleared: \($0.output)" : "The build is cleared." },
      ]
    ),
    Script(
      words: ["question"],
      effect: "asks a question in two parts",
      steps: [
        .say(
          thinking: "Better to ask first.",
          calls: [ScriptedCall(tool: "ask", arguments: questions, effect: .asks)]
        ),
        .report { "You answered: \($0.output)" },
      ]
    ),
    Script(
      words: ["retry fails"],
      effect: "fails after three retries",
      steps: (1...3).flatMap { attempt in
        [.fail(thinking: "Hmm.", error: overload), .retry(error: overload, attempt: attempt)]
      } + [.fail(thinking: "Hmm.", error: overload), .giveUp(error: overload, attempt: 3)]
    ),
    Script(
      words: ["retry"],
      effect: "fails once, then succeeds",
      steps: [
        .fail(thinking: "Hmm.", error: overload),
        .retry(error: overload),
        .say(text: "It worked the second time."),
        .recover(),
      ]
    ),
    Script(
      words: ["fail"],
      effect: "fails",
      steps: [.fail(thinking: "Hmm.", error: overload)]
    ),
    Script(
      words: ["usage limit"],
      effect: "fails because of a usage limit",
      steps: [.fail(thinking: "Hmm.", error: usageLimit)]
    ),
    Script(
      words: ["rate limit"],
      effect: "fails because of a limit without a stated end",
      steps: [.fail(thinking: "Hmm.", error: rateLimit)]
    ),
    Script(
      words: ["refuse limit"],
      effect: "refuses the prompt because of a usage limit",
      steps: [.refuse(error: usageLimit)]
    ),
    Script(
      words: ["refuse late"],
      effect: "accepts the prompt, then refuses it",
      steps: [.refuse(error: missingKey, isLate: true)]
    ),
    Script(
      words: ["refuse"],
      effect: "refuses the prompt",
      steps: [.refuse(error: missingKey)]
    ),
    Script(
      words: ["empty"],
      effect: "ends without an answer",
      steps: [.say()]
    ),
    Script(
      words: ["as json"],
      effect: "answers with JSON in a fenced block",
      steps: [.say(text: "```json\n{\"version\": \"1.0\"}\n```")]
    ),
    Script(
      words: ["two tools"],
      effect: "makes two tool calls at once",
      steps: [
        .say(
          text: "Both at once.",
          calls: [
            .bash("echo one", .prints(["one\n"])),
            .bash("echo two", .prints(["two\n"])),
          ]
        ),
        .say(text: "Both are done."),
      ]
    ),
    Script(
      words: ["big"],
      effect: "prints 4000 lines",
      steps: [
        .say(calls: [.bash("seq-lines 4000", .printsLines(4000))]),
        .say(text: "That was a lot."),
      ]
    ),
    Script(
      words: ["todo"],
      effect: "works through a to-do list",
      steps: (0...todoItems.count).map { done in
        .say(calls: [.todo(todoItems, done: done)])
      } + [.say(text: "Everything on the list is done.")]
    ),
    Script(
      words: ["slow"],
      effect: "works until it is stopped",
      steps: [
        .say(
          thinking: "Step by step.",
          text: "Starting slow work.",
          calls: [.bash("sleep 3600", .works)]
        ),
        .say(text: "The slow work is done."),
      ]
    ),
    Script(
      words: ["silent"],
      effect: "works without output until it is stopped",
      steps: [
        .say(calls: [.bash("sleep 3600", .waits)]),
        .say(text: "The silent work is done."),
      ]
    ),
    Script(
      words: ["child"],
      effect: "starts a child session",
      steps: [
        .say(
          thinking: "A child session can do this.",
          calls: [
            ScriptedCall(
              tool: "spawn_agent",
              arguments: ["message": "say hello", "name": "child one"],
              effect: .spawns
            )
          ]
        ),
        .report { "Child: \($0.output)" },
      ]
    ),
  ]

  private static let overload = "529 overloaded_error: the model is overloaded"

  private static let usageLimit =
    "You have hit your ChatGPT usage limit (plus plan). Try again in ~30 min."

  private static let rateLimit =
    "429 rate_limit_error: this request would exceed your account's rate limit"

  private static let missingKey = """
    No API key found for openai-codex.

    Use /login or set an API key environment variable.
    """

  private static let todoItems = ["Read the code", "Fix the bug", "Run the tests"]

  private static let questions: JSONValue = [
    "questions": [
      [
        "id": "scope",
        "question": "Which tests should I run?",
        "options": [
          ["value": "unit", "label": "Unit tests", "description": "Fast"],
          ["value": "all", "label": "All tests", "description": "Slow but complete"],
        ],
      ],
      [
        "id": "extras",
        "question": "Which extras?",
        "options": [
          ["value": "lint", "label": "Lint"],
          ["value": "docs", "label": "Docs"],
        ],
        "multiSelect": true,
      ],
    ],
    "allowCustom": true,
  ]
}

// MARK: - Dialogs of extensions

extension Script {
  fileprivate static let extensions = [
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
