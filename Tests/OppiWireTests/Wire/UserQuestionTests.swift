// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire
import Testing

/// Questions as the server wrote them: their text, their choices, and whether they are whole.
@Suite struct UserQuestionTests {
  private static func question(_ method: String, _ body: JSONValue) -> UserQuestion {
    UserQuestion(id: "q", method: method, body: body)
  }

  @Test("each method has a kind, and a method of a newer server is another kind")
  func kinds() {
    let kinds: [RequestKind] = [.ask, .select, .confirm, .input, .editor]
    for kind in kinds {
      let question = Self.question(kind.word, .null)
      #expect(question.kind == kind)
      #expect(HumanRequest.question(question).needs == (kind == .confirm ? .approval : .answer))
    }
    #expect(Self.question("draw", .null).kind == .other("draw"))
    // A dialog never passes for a tool call that the server holds.
    #expect(HumanRequest.question(Self.question("permission", .null)).needs == .answer)
  }

  @Test("a question of 30 lines keeps every line, and its summary is one line")
  func manyLines() {
    let title = (1...30).map { "line \($0)" }.joined(separator: "\n")
    let question = Self.question("select", ["title": .string(title), "options": ["Yes", "No"]])
    #expect(question.lines == (1...30).map { "line \($0)" })
    #expect(question.line.hasPrefix("line 1 line 2 ") && !question.line.contains("\n"))
    #expect(question.isWhole && question.hiddenCount == 0)
    #expect(ApprovalPolicy.glance(at: .question(question)) == nil)
  }

  @Test("in a list, line breaks and spaces are one space, and only other hidden characters remain")
  func line() {
    func line(_ title: String, _ method: String = "select") -> String {
      Self.question(method, ["title": .string(title)]).line
    }
    #expect(
      line("⚠\u{FE0F} Dangerous:\n\n  rm  -rf x\n\nAllow?")
        == "⚠\u{FE0F} Dangerous: rm -rf x Allow?"
    )
    #expect(line("a\u{202E}b") == #"a\u{202E}b"#)
    #expect(line("") == "select" && line("\u{FE0F}") == #"\u{FE0F}"#)
    #expect(line(String(repeating: "x ", count: 5000)).count <= 2001)
  }

  @Test(
    "title and message are on one line if both are, else each on its own lines",
    arguments: [
      (["title": "Say", "message": "Go on?"], ["Say: Go on?"]),
      (["title": "Say", "message": "a\nb"], ["Say", "a", "b"]),
      (["title": "a\nb", "message": "c"], ["a", "b", "c"]),
      (["title": "Say"], ["Say"]), (["message": "Go on?"], ["Go on?"]),
      (["title": "", "message": ""], ["confirm"]), ([:], ["confirm"]),
    ] as [(JSONValue, [String])]
  )
  func texts(body: JSONValue, lines: [String]) {
    #expect(Self.question("confirm", body).lines == lines)
  }

  @Test("control characters of a text and of an option are shown as escapes and counted")
  func hidden() {
    let question = Self.question(
      "select",
      ["title": "rm\u{1B}[8m", "options": ["Yes\u{202E}", "No\n"]]
    )
    #expect(question.lines == [#"rm\u{1B}[8m"#])
    #expect(question.hiddenCount == 2)
    #expect(ApprovalPolicy.glance(at: .question(question)) == nil)
    #expect(question.risk == .high)
    let options: JSONValue = [["label": "Yes", "description": "a\u{202E}"]]
    #expect(Self.question("select", ["options": options]).hiddenCount == 1)
    let part: JSONValue = ["id": "a", "options": options]
    #expect(Self.question("ask", ["questions": [part]]).hiddenCount == 1)
    for member in ["placeholder", "prefill"] {
      #expect(Self.question("input", [member: "a\u{200B}b"]).hiddenCount == 1)
    }
  }

  @Test("options keep their order, their duplicates and their exact texts")
  func options() {
    let question = Self.question("select", ["options": ["b", "a", "b", "", " "]])
    #expect(question.options.map(\.value) == ["b", "a", "b", "", " "])
    #expect(Self.question("select", ["options": []]).options.isEmpty)
    #expect(Self.question("select", [:]).options.isEmpty)
  }

  @Test(
    "servers list a dialog that has something to choose, or that takes a yes or a line",
    arguments: [
      ("select", ["options": ["Yes"]], true), ("select", ["options": []], false),
      ("select", ["options": "Yes"], false), ("select", [:], false),
      ("ask", ["questions": [["id": "a"]]], true), ("ask", ["questions": []], false),
      ("ask", ["options": ["Yes"]], false), ("confirm", [:], true), ("input", [:], true),
      ("editor", [:], false), ("draw", ["options": ["Yes"]], false),
    ] as [(String, JSONValue, Bool)]
  )
  func listed(method: String, body: JSONValue, isListed: Bool) {
    #expect(Self.question(method, body).isListed == isListed)
  }

  @Test("the parts of an ask have texts, values and labels")
  func parts() throws {
    let question = Self.question(
      "ask",
      [
        "allowCustom": false,
        "questions": [
          [
            "id": "a", "question": "Which?", "multiSelect": true,
            "options": [
              ["value": "v", "label": "L", "description": "d"], ["value": "w"], ["label": "x"],
            ],
          ],
          ["id": "b", "question": "Why?\nReally?"],
        ],
      ]
    )
    let part = try #require(question.parts.first)
    #expect(part.takesSeveral && !question.takesOwnText && question.isWhole)
    #expect(part.options.map(\.value) == ["v", "w", "x"])
    #expect(part.options.map(\.label) == ["L", "w", "x"])
    #expect(part.options.map(\.note) == ["d", nil, nil])
    #expect(question.parts.last?.options.isEmpty == true)
    #expect(question.lines == ["Which?", "Why?", "Really?"])
  }

  @Test(
    "a question with a part that cannot be read is not whole, and can only be cancelled",
    arguments: [
      ["options": ["Yes", 3]], ["options": "Yes"], ["questions": [["question": "no id"]]],
      ["questions": "x"], ["questions": [["id": "a"], ["id": "a"]]],
      ["questions": [["id": "a", "options": [3]]]], ["title": 3], ["message": ["rm"]],
      ["placeholder": false], ["prefill": ["text": "x"]],
    ] as [JSONValue]
  )
  func unreadable(body: JSONValue) {
    let question = Self.question("select", body)
    #expect(!question.isWhole && question.risk == .high)
    func obstacle(_ answer: QuestionAnswer) -> ApprovalPolicy.Obstacle? {
      ApprovalPolicy.obstacle(to: .answer(answer), .question(question), on: .command)
    }
    #expect(obstacle(.value("Yes")) == .incomplete && obstacle(.cancelled) == nil)
  }

  @Test(
    "a text is whole up to the limit of a question, and a prefill up to its own",
    arguments: [
      ("title", (1 << 20) - 5, true), ("title", (1 << 20) - 4, false),
      ("message", 1 << 21, false),
      ("prefill", 64 << 10, true), ("prefill", (64 << 10) + 1, false),
      ("placeholder", 4096, true), ("placeholder", 4097, false),
    ]
  )
  func limits(member: String, size: Int, isWhole: Bool) {
    let text = String(repeating: "a", count: size)
    let question = Self.question("editor", .object(JSONObject([(member, .string(text))])))
    #expect(question.isWhole == isWhole)
    let obstacle = ApprovalPolicy.obstacle(
      to: .answer(.value("x")),
      .question(question),
      on: .command
    )
    #expect((obstacle == nil) == isWhole)
  }

  @Test("the expiry, its length and the extension are read as far as they are usable")
  func members() {
    let question = Self.question(
      "confirm",
      [
        "timeout": 120_000, "timeoutAt": 5000, "extensionScopeId": "npm:gate",
        "extensionDisplayName": "Some\u{1B}[1m\nGate",
      ]
    )
    #expect(question.timeoutAt == Timestamp(milliseconds: 5000))
    #expect(question.timeToDecide == .seconds(120))
    #expect(question.extensionName == "Some Gate")
    let odd = Self.question(
      "confirm",
      ["timeout": -1, "timeoutAt": "soon", "extensionScopeId": "npm:gate"]
    )
    #expect(odd.timeoutAt == nil && odd.timeToDecide == .zero && odd.extensionName == "npm:gate")
    let huge = Self.question("confirm", ["timeout": .integer(.max), "timeoutAt": .integer(.max)])
    #expect(huge.timeoutAt == nil && huge.timeToDecide == nil)
  }

  @Test("two questions ask the same only if their texts and choices are equal")
  func same() {
    let body: JSONObject = ["title": "Run it?", "options": ["Yes", "No"]]
    let first = Self.question("select", .object(body))
    #expect(first.isAbout(sameAs: Self.question("select", .object(body.adding(["type": "x"])))))
    let others = [
      Self.question("confirm", .object(body)),
      Self.question("select", .object(body.adding(["title": "Run it ?"]))),
      Self.question("select", .object(body.adding(["message": "now"]))),
      Self.question("select", .object(body.adding(["options": ["No", "Yes"]]))),
      Self.question("select", .object(body.adding(["options": ["Yes", "No", "x"]]))),
      Self.question("select", .object(body.adding(["placeholder": "x"]))),
      // It is left out, so that the rest is equal.
      Self.question("select", .object(body.adding(["placeholder": false]))),
      Self.question("select", .object(body.adding(["prefill": "x"]))),
      Self.question("select", .object(body.adding(["extensionDisplayName": "x"]))),
      Self.question("select", .object(body.adding(["questions": [["id": "a"]]]))),
      Self.question("select", .object(body.adding(["allowCustom": false]))),
    ]
    for other in others {
      #expect(!first.isAbout(sameAs: other), "\(other)")
      #expect(!HumanRequest.question(first).isAbout(sameAs: .question(other)))
    }
    // Equal as characters, and different for a shell.
    let (mark, semicolon) = (["title": "ls\u{37E}"], ["title": "ls;"]) as (JSONValue, JSONValue)
    #expect(!Self.question("confirm", mark).isAbout(sameAs: Self.question("confirm", semicolon)))
  }

  @Test(
    "two choices are the same only if their values, labels and notes are equal",
    arguments: [
      ["value": "Always", "label": "Yes"], ["value": "Yes", "label": "Sure"],
      ["value": "Yes", "label": "Yes", "description": "and all that follow"],
    ] as [JSONValue]
  )
  func sameChoice(choice: JSONValue) {
    func select(_ choice: JSONValue) -> UserQuestion {
      Self.question("select", ["title": "Run it?", "options": [choice, "No"]])
    }
    #expect(select("Yes").isAbout(sameAs: select(["value": "Yes", "label": "Yes"])))
    #expect(!select("Yes").isAbout(sameAs: select(choice)))
  }

  @Test(
    "two questions of an ask are the same only if they take the same answers",
    arguments: [
      ["id": "b"], ["question": "Why?"], ["options": ["y", "x"]], ["multiSelect": true],
    ] as [JSONObject]
  )
  func samePart(change: JSONObject) {
    let part: JSONObject = ["id": "a", "question": "Which?", "options": ["x", "y"]]
    func ask(_ last: JSONObject) -> UserQuestion {
      Self.question("ask", ["questions": [["id": "first"], .object(part.adding(last))]])
    }
    #expect(ask([:]).isAbout(sameAs: ask(["multiSelect": false])))
    #expect(!ask([:]).isAbout(sameAs: ask(change)))
  }

  @Test(
    "for a hasty reply, any end of a line of a dialog may be a command",
    arguments: [
      ("Run rm -rf ./build?", Risk.destructive), ("Allow this command?\n\n  sudo reboot", .high),
      ("Look at this?", .write), ("Proceed?", .write),
      ("bash: git push origin main", .exfiltration),
      ("1\n2\nrm -rf /", .destructive),
    ]
  )
  func suspectedRisk(title: String, risk: Risk) {
    #expect(Self.question("select", ["title": .string(title)]).suspectedRisk == risk)
  }
}
