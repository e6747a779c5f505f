// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import Testing

@testable import Oppi

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
        "! proposed, not yet run: bash", "high risk", "reason: git push", "  cd /tmp",
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
