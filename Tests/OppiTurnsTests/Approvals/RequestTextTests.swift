// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

struct RequestTextTests {
  private func request(
    _ tool: String,
    _ input: JSONValue,
    summary: String = "what the server says of it"
  ) throws -> PermissionRequest {
    try #require(
      PermissionRequest(json: [
        "id": "p1", "tool": .string(tool), "input": input, "displaySummary": .string(summary),
        "reason": "git push",
      ])
    )
  }

  private func plain(_ request: PermissionRequest) -> [String] {
    RequestText.rows(of: .permission(request), width: 200).map(\.plain)
  }

  @Test("a command keeps its lines, followed by the other members of its input")
  func command() throws {
    let lines = plain(try request("bash", ["command": "cd /tmp\nsudo bash\n  ls", "timeout": 5]))
    #expect(
      lines == [
        "! waiting for approval: bash", "high risk", "reason: git push", "  cd /tmp",
        "  sudo bash",
        "    ls", "  timeout:", "  5",
      ]
    )
  }

  @Test("hidden characters are escaped and counted")
  func hidden() throws {
    let lines = plain(try request("bash", ["command": "echo \u{202E}abc\u{1B}[2J"]))
    #expect(lines.contains(#"  echo \u{202E}abc\u{1B}[2J"#))
    #expect(lines.contains { $0.hasPrefix("2 hidden characters") })
    // Those of the tool's name and of a member's name count, too.
    let odd = try request("ba\u{200B}sh", ["command": "echo"])
    #expect(HumanRequest.permission(odd).hiddenCount == 1)
    let named = try request("bash", ["command": "echo", "tim\u{200B}eout": 5])
    #expect(plain(named).contains { $0.hasPrefix("1 hidden character") })
    #expect(HumanRequest.permission(named).hiddenCount == 1)
  }

  @Test("a write shows its content, and an edit both texts")
  func files() throws {
    let write = plain(try request("write", ["path": "a.sh", "content": "#!/bin/sh\nrm -rf /\n"]))
    #expect(write.suffix(4) == ["  content:", "  #!/bin/sh", "  rm -rf /", "  "])
    let edits: JSONValue = [["oldText": "a\nb", "newText": "c", "x": true]]
    let edit = plain(try request("edit", ["path": "f", "edits": edits]))
    #expect(edit.suffix(6) == ["  f", "  - a", "  - b", "  + c", "  x:", "  true"])
    let odd = plain(try request("edit", ["path": "f", "edits": "text"]))
    #expect(odd.suffix(2) == ["  edits:", "  text"])
  }

  @Test("an unknown tool shows its whole input, or the summary without an input")
  func unknown() throws {
    let known = plain(try request("deploy", ["b": [1], "a": "x"]))
    #expect(known.contains("  x"))
    let text = plain(try request("deploy", "text"))
    #expect(text.last == "  text")
    let none = plain(try request("deploy", .null, summary: "deploy it"))
    #expect(none.last == "  deploy it")
  }

  @Test("an incomplete request is marked")
  func partial() throws {
    let command = String(repeating: "ls; ", count: 40_000)
    let lines = plain(try request("bash", ["command": .string(command)]))
    #expect(lines.contains { $0.contains("you can only deny it") })
  }

  @Test(
    "every character is shown in order at any width",
    arguments: [3, 20, 40, 160]
  )
  func rows(width: Int) throws {
    let command = (0..<30).map { "line \($0): printf '%s' \"漢字 é $x\" | sh" }.joined(
      separator: "\n"
    )
    let rows = RequestText.rows(
      of: .permission(try request("bash", ["command": .string(command)])),
      width: width
    )
    let body = rows.drop { !$0.plain.hasPrefix("  ") }
    #expect(body.allSatisfy { DisplayWidth.of($0.plain) <= max(width, 4) })
    let text = body.map { row in
      (row.plain.hasPrefix("↪") ? "" : "\n") + row.plain.dropFirst(2)
    }
    #expect(text.joined().dropFirst() == command)
  }
}

/// A dialog in full, character by character.
@Suite struct QuestionRowsTests {
  private static func rows(
    _ method: String,
    _ body: JSONValue,
    width: Int = .max
  ) -> [String] {
    let question = UserQuestion.sample(method, body)
    return RequestText.rows(of: .question(question), width: width)
      .map(\.plain)
  }

  @Test("a select has its lines, then its numbered options")
  func select() {
    let rows = Self.rows(
      "select",
      [
        "title": "Run this?\n\n  make  install", "options": ["Yes", "No"],
        "extensionDisplayName": "Gate",
      ]
    )
    #expect(
      rows == [
        "! waiting for approval, asked by Gate", "  Run this?", "  ", "    make  install",
        "  1  Yes", "  2  No",
      ]
    )
  }

  @Test("every line of a long title is shown, wrapped and marked")
  func long() {
    let title = (1...30).map { "echo line-\($0)" }.joined(separator: "\n")
    let rows = Self.rows("select", ["title": .string(title), "options": ["Yes"]], width: 10)
    // The first three rows say what the request waits for.
    let joined = rows.dropFirst(3).reduce(into: [String]()) { lines, row in
      if row.hasPrefix("↪ "), !lines.isEmpty {
        lines[lines.count - 1] += row.dropFirst(2)
      } else {
        lines.append(String(row.dropFirst(2)))
      }
    }
    #expect(joined == (1...30).map { "echo line-\($0)" } + ["1  Yes"])
  }

  @Test("hidden characters of texts and options are escaped and counted")
  func hidden() {
    let rows = Self.rows(
      "select",
      ["title": "echo\u{202E}", "options": ["Yes\u{1B}[8m\u{200B}", "No\nnever"]]
    )
    #expect(rows[1] == "high risk")
    #expect(rows[2] == "3 hidden characters are shown as \\u{...}")
    #expect(rows.contains(#"  echo\u{202E}"#) && rows.contains(#"  1  Yes\u{1B}[8m\u{200B}"#))
    // The second line of an option does not pass for another one.
    #expect(rows.suffix(2) == ["  2  No", "     never"])
  }

  @Test("an ask has each question with its id and its choices")
  func ask() {
    let rows = Self.rows(
      "ask",
      [
        "questions": [
          [
            "id": "scope", "question": "Which?",
            "options": [["value": "v", "label": "All", "description": "slow"]],
          ],
          ["id": "more", "question": "What else?", "multiSelect": true, "options": ["x"]],
        ]
      ]
    )
    #expect(
      rows == [
        "! waiting for an answer", "  question 1, id scope:", "  Which?", "  1  All", "     slow",
        "  question 2, id more:", "  What else?", "  1  x", "  several choices are allowed",
      ]
    )
  }

  @Test("an editor has its text, an input its example, and an empty dialog the name of its kind")
  func fields() {
    #expect(
      Self.rows("editor", ["title": "Message", "prefill": "Fix\n\nit"])
        == ["! waiting for an answer", "  Message", "  current text:", "  Fix", "  ", "  it"]
    )
    #expect(
      Self.rows("input", ["title": "Name", "placeholder": "Ada"])
        == ["! waiting for an answer", "  Name", "  e.g. Ada"]
    )
    #expect(Self.rows("confirm", .null) == ["! waiting for approval", "  confirm"])
  }

  @Test("a dialog that is not whole says so")
  func incomplete() {
    let rows = Self.rows("select", ["title": "a", "options": [3]])
    #expect(rows[1...2] == ["high risk", "too long to be shown in full; you can only cancel it"])
  }
}

@Suite struct PolicyTextTests {
  private func lines(_ fallback: String, _ rules: JSONValue...) -> [String] {
    let policy = ServerPolicy(fallback: fallback, rules: rules.compactMap(ServerPolicy.Rule.init))
    return PolicyText.lines(of: policy).map(\.plain)
  }

  @Test("the fallback is stated in words, and a value of a newer server as it is")
  func fallback() {
    #expect(lines("allow") == ["Without a matching rule, a tool call is allowed.", "no rules"])
    #expect(lines("ask")[0].hasSuffix("is held until you approve it."))
    #expect(lines("deny")[0].hasSuffix("is denied.") && lines("log")[0].hasSuffix("is log."))
  }

  @Test("a rule names its decision, call, scope, source and expiry")
  func rule() {
    let rules = lines(
      "allow",
      ["id": "1", "tool": "bash", "decision": "deny", "scope": "global", "label": "Block sudo"],
      [
        "id": "2", "decision": "allow", "scope": "session", "sessionId": "S", "source": "learned",
        "label": "Allow git push", "expiresAt": 0,
      ]
    )
    #expect(rules[1] == "✗ denied: bash: Block sudo  global")
    #expect(
      rules[2].hasPrefix("✓ allowed: any tool: Allow git push  session S, learned, expires at")
    )
  }

  @Test("a list of rules is bounded, and says how many are left out")
  func bounded() {
    let json: [JSONValue] = (0..<203).map { ["id": .string("r\($0)"), "decision": "allow"] }
    let policy = ServerPolicy(fallback: "allow", rules: json.compactMap(ServerPolicy.Rule.init))
    let lines = PolicyText.lines(of: policy).map(\.plain)
    #expect(lines.count == 202 && lines.last == "3 more rules")
  }
}
