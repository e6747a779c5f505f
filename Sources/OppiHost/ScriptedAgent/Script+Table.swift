// SPDX-License-Identifier: MIT

import OppiText

extension Script {
  static let standard = Script(
    does: "runs a command",
    [
      .say(
        thinking: "A small thing; one quick command will do.",
        text: "Let me run a quick command.",
        calls: [.bash("echo hi", prints: "hi\n")]
      ),
      .say(text: "The command printed: hi"),
    ]
  )

  /// The scripts with their words; the first match is used.
  static let table = conversations + [document, migration, repair] + extensions

  private static let conversations: [Script] = [
    Script(
      "approve",
      "deploy",
      does: "asks before git push",
      [
        .say(
          thinking: "This needs approval.",
          text: "I will push the branch.",
          calls: [.bash("git push origin main", prints: "main -> main\n", needs: "Git push")]
        ),
        .report { $0.isError ? "Not pushed: \($0.output)" : "The branch is pushed." },
      ]
    ),
    Script(
      "wipe",
      does: "asks before rm -rf",
      clearing(.bash("rm -rf ./build", prints: "", needs: "Recursive delete"))
    ),
    Script(
      "question",
      does: "asks a question in two parts",
      [
        .say(
          thinking: "Better to ask first.",
          calls: [AgentCall(tool: "ask", arguments: questions, work: askingQuestions)]
        ),
        .report { "You answered: \($0.output)" },
      ]
    ),
    Script(
      "retry fails",
      does: "fails after three retries",
      (1...3).flatMap { [.fail(overload), .retry(after: overload, attempt: $0)] }
        + [.fail(overload), .giveUp(overload, attempt: 3)]
    ),
    Script(
      "retry",
      does: "fails once, then succeeds",
      [
        .fail(overload), .retry(after: overload, attempt: 1),
        .say(text: "It worked the second time."), .recover(attempt: 1),
      ]
    ),
    Script("fail", does: "fails", [.fail(overload)]),
    Script("usage limit", does: "fails because of a usage limit", [.fail(usageLimit)]),
    Script(
      "rate limit",
      does: "fails because of a limit without a stated end",
      [.fail("429 rate_limit_error: this request would exceed your account's rate limit")]
    ),
    Script(
      "refuse limit",
      does: "refuses the prompt because of a usage limit",
      [.refuse(usageLimit)]
    ),
    Script(
      "refuse late",
      does: "accepts the prompt, then refuses it",
      [.refuse(missingKey, isLate: true)]
    ),
    Script("refuse", does: "refuses the prompt", [.refuse(missingKey)]),
    Script("empty", does: "ends without an answer", [.say()]),
    Script(
      "as json",
      does: "answers with JSON in a fenced block",
      [.say(text: "```json\n{\"version\": \"1.0\"}\n```")]
    ),
    Script(
      "two tools",
      does: "makes two tool calls at once",
      [
        .say(
          text: "Both at once.",
          calls: ["one", "two"].map { .bash("echo \($0)", prints: "\($0)\n") }
        ),
        .say(text: "Both are done."),
      ]
    ),
    Script(
      "big",
      does: "prints 4000 lines",
      [
        .say(calls: [.bash("seq-lines 4000", printingLines(4000))]),
        .say(text: "That was a lot."),
      ]
    ),
    Script(
      "todo",
      does: "works through a to-do list",
      (0...todoItems.count).map { .say(calls: [.todo(todoItems, done: $0)]) }
        + [.say(text: "Everything on the list is done.")]
    ),
    Script(
      "slow",
      does: "works until it is stopped",
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
      "silent",
      does: "works without output until it is stopped",
      [
        .say(calls: [.bash("sleep 3600", working("", ""))]),
        .say(text: "The silent work is done."),
      ]
    ),
    Script(
      "child",
      does: "starts a child session",
      [
        .say(thinking: "A child session can do this.", calls: [spawn]),
        .report { "Child: \($0.output)" },
      ]
    ),
  ]

  private static let spawn = AgentCall(
    tool: "spawn_agent",
    arguments: ["message": "say hello", "name": "child one"],
    work: spawning
  )

  private static func clearing(_ call: AgentCall) -> [Step] {
    [
      .say(text: "I will clear the build.", calls: [call]),
      .report { $0.isError ? "Not cleared: \($0.output)" : "The build is cleared." },
    ]
  }

  private static let overload = "529 overloaded_error: the model is overloaded"

  private static let usageLimit =
    "You have hit your ChatGPT usage limit (plus plan). Try again in ~30 min."

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
      "confirm",
      ["title": "Proceed?", "message": "This changes files"],
      "opens a confirmation dialog"
    ),
    asking(
      "select",
      ["title": "Pick one", "options": ["Red", "Green"]],
      "opens a selection dialog"
    ),
    asking("input", ["title": "Your name", "placeholder": "name"], "opens a text dialog"),
    asking(
      "editor",
      ["title": "Commit message", "prefill": "Fix the bug\n"],
      "opens a dialog for a longer text"
    ),
    Script(
      "ask trust",
      does: "opens the dialog about trust in a project",
      [.show(Sessions.trustDialog(of: "/srv/demo")), .report { "You answered: \($0.output)" }]
    ),
    Script(
      "two gates",
      does: "asks in two dialogs at once",
      [
        .say(
          text: "Both need an answer.",
          calls: ["cache", "build"].map { .bash("rm -rf ./\($0)", prints: "no \($0)\n").gated }
        ),
        .report { $0.isError ? "Not cleared: \($0.output)" : "Both are cleared." },
      ]
    ),
    Script(
      "gate",
      does: "asks in a dialog before rm -rf",
      clearing(.bash("rm -rf ./build", prints: "").gated)
    ),
    Script(
      "set status",
      does: "sets the status of an extension",
      [
        .notify(["method": "setStatus", "statusKey": "build", "statusText": "running"]),
        .say(text: "The status is set."),
      ]
    ),
    Script(
      "notify",
      does: "sends a notification",
      [
        .notify([
          "method": "notify", "message": "Something happened", "notifyType": "warning",
        ]),
        .say(text: "Notified."),
      ]
    ),
  ]

  private static func asking(_ method: String, _ dialog: JSONObject, _ effect: String) -> Script {
    Script(
      "ask \(method)",
      does: effect,
      [
        .show(JSONValue.object(["method": .string(method)]).adding(dialog)),
        .report { "You answered: \($0.output)" },
      ]
    )
  }
}
