// SPDX-License-Identifier: MIT

import OppiModel

extension Script {
  static let standard = Script(
    [],
    "runs a command",
    [
      .say(
        thinking: "A small thing; one quick command will do.",
        text: "Let me run a quick command.",
        calls: [.bash("echo hi", prints: ["hi\n"])]
      ),
      .say(text: "The command printed: hi"),
    ]
  )

  /// The scripts with their words; the first match is used.
  static let table = conversations + [document, migration] + extensions

  private static let conversations: [Script] = [
    calling(
      ["approve", "deploy"],
      "asks before git push",
      thinking: "This needs approval.",
      text: "I will push the branch.",
      [.bash("git push origin main", prints: ["main -> main\n"], approvalReason: "Git push")],
      report: { $0.isError ? "Not pushed: \($0.output)" : "The branch is pushed." }
    ),
    calling(
      ["wipe"],
      "asks before rm -rf",
      text: "I will clear the build.",
      [.bash("rm -rf ./build", prints: [""], approvalReason: "Recursive delete")],
      report: clearing
    ),
    calling(
      ["question"],
      "asks a question in two parts",
      thinking: "Better to ask first.",
      [AgentCall(tool: "ask", arguments: questions, work: askingQuestions)],
      report: { "You answered: \($0.output)" }
    ),
    Script(
      ["retry fails"],
      "fails after three retries",
      (1...3).flatMap { [.fail(error: overload), .retry(error: overload, attempt: $0)] }
        + [.fail(error: overload), .giveUp(error: overload, attempt: 3)]
    ),
    Script(
      ["retry"],
      "fails once, then succeeds",
      [
        .fail(error: overload), .retry(error: overload, attempt: 1),
        .say(text: "It worked the second time."), .recover(attempt: 1),
      ]
    ),
    Script(["fail"], "fails", [.fail(error: overload)]),
    Script(["usage limit"], "fails because of a usage limit", [.fail(error: usageLimit)]),
    Script(
      ["rate limit"],
      "fails because of a limit without a stated end",
      [.fail(error: rateLimit)]
    ),
    Script(
      ["refuse limit"],
      "refuses the prompt because of a usage limit",
      [.refuse(error: usageLimit)]
    ),
    Script(
      ["refuse late"],
      "accepts the prompt, then refuses it",
      [.refuse(error: missingKey, isLate: true)]
    ),
    Script(["refuse"], "refuses the prompt", [.refuse(error: missingKey)]),
    Script(["empty"], "ends without an answer", [.say()]),
    Script(
      ["as json"],
      "answers with JSON in a fenced block",
      [.say(text: "```json\n{\"version\": \"1.0\"}\n```")]
    ),
    Script(
      ["two tools"],
      "makes two tool calls at once",
      [
        .say(
          text: "Both at once.",
          calls: [
            .bash("echo one", prints: ["one\n"]), .bash("echo two", prints: ["two\n"]),
          ]
        ),
        .say(text: "Both are done."),
      ]
    ),
    Script(
      ["big"],
      "prints 4000 lines",
      [
        .say(calls: [.bash("seq-lines 4000", printingLines(4000))]),
        .say(text: "That was a lot."),
      ]
    ),
    Script(
      ["todo"],
      "works through a to-do list",
      (0...todoItems.count).map { .say(calls: [.todo(todoItems, done: $0)]) }
        + [.say(text: "Everything on the list is done.")]
    ),
    Script(
      ["slow"],
      "works until it is stopped",
      [
        .say(
          thinking: "Step by step.",
          text: "Starting slow work.",
          calls: [.bash("sleep 3600", working("step 1/2\n", "step 2/2\n"))]
        ),
        .say(text: "The slow work is done."),
      ]
    ),
    Script(
      ["silent"],
      "works without output until it is stopped",
      [
        .say(calls: [.bash("sleep 3600", working("", ""))]),
        .say(text: "The silent work is done."),
      ]
    ),
    calling(
      ["child"],
      "starts a child session",
      thinking: "A child session can do this.",
      [
        AgentCall(
          tool: "spawn_agent",
          arguments: ["message": "say hello", "name": "child one"],
          work: spawning
        )
      ],
      report: { "Child: \($0.output)" }
    ),
  ]

  /// A script that makes calls at once, and reports the result of the last one.
  static func calling(
    _ words: [String],
    _ effect: String,
    thinking: String = "",
    text: String = "",
    _ calls: [AgentCall],
    report: @escaping @Sendable (ToolResult) -> String
  ) -> Script {
    Script(
      words,
      effect,
      [.say(thinking: thinking, text: text, calls: calls), .report(report)]
    )
  }

  private static let clearing: @Sendable (ToolResult) -> String = {
    $0.isError ? "Not cleared: \($0.output)" : "The build is cleared."
  }

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
    asking(
      ["method": "confirm", "title": "Proceed?", "message": "This changes files"],
      word: "ask confirm",
      effect: "opens a confirmation dialog"
    ),
    asking(
      ["method": "select", "title": "Pick one", "options": ["Red", "Green"]],
      word: "ask select",
      effect: "opens a selection dialog"
    ),
    asking(
      ["method": "input", "title": "Your name", "placeholder": "name"],
      word: "ask input",
      effect: "opens a text dialog"
    ),
    asking(
      ["method": "editor", "title": "Commit message", "prefill": "Fix the bug\n"],
      word: "ask editor",
      effect: "opens a dialog for a longer text"
    ),
    calling(
      ["two gates"],
      "asks in two dialogs at once",
      text: "Both need an answer.",
      [
        .bash("rm -rf ./cache", prints: ["no cache\n"]).gated,
        .bash("rm -rf ./build", prints: ["no build\n"]).gated,
      ],
      report: { $0.isError ? "Not cleared: \($0.output)" : "Both are cleared." }
    ),
    calling(
      ["gate"],
      "asks in a dialog before rm -rf",
      text: "I will clear the build.",
      [.bash("rm -rf ./build", prints: [""]).gated],
      report: clearing
    ),
    Script(
      ["set status"],
      "sets the status of an extension",
      [
        .notify(["method": "setStatus", "statusKey": "build", "statusText": "running"]),
        .say(text: "The status is set."),
      ]
    ),
    Script(
      ["notify"],
      "sends a notification",
      [
        .notify([
          "method": "notify", "message": "Something happened", "notifyType": "warning",
        ]),
        .say(text: "Notified."),
      ]
    ),
  ]

  private static func asking(_ dialog: JSONValue, word: String, effect: String) -> Script {
    Script([word], effect, [.show(dialog), .report { "You answered: \($0.output)" }])
  }
}
