// SPDX-License-Identifier: MIT

import OppiTerminal
import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiTurns

@Suite struct ToolCallRowsTests {
  /// A read of a file with 214 lines that took 140 ms.
  private static func read(_ path: String, state: ToolCallState = .succeeded) -> ToolCallActivity {
    let arguments: JSONValue = ["path": .string(path)]
    var call = ToolCallActivity(id: "r", tool: "read", arguments: arguments, state: state)
    (call.startedAt, call.endedAt) = (Timestamp(milliseconds: 0), Timestamp(milliseconds: 140))
    call.output.append(String(repeating: "x\n", count: 214))
    return call
  }

  private static func title(_ call: ToolCallActivity, width: Int) -> String {
    ToolCallRows.rows(for: call, width: width)[0].plain
  }

  @Test(
    "where it is narrow, the duration leaves first, then the size, and the subject is cut last",
    arguments: [
      (60, "✓ read  Tests/LoginTests.swift             214 lines  140 ms"),
      (49, "✓ read  Tests/LoginTests.swift  214 lines  140 ms"),
      (48, "✓ read  Tests/LoginTests.swift         214 lines"),
      (41, "✓ read  Tests/LoginTests.swift  214 lines"), (40, "✓ read  Tests/LoginTests.swift"),
      (30, "✓ read  Tests/LoginTests.swift"), (29, "✓ read  Tests/LoginTests.swi…"),
    ]
  )
  func width(width: Int, row: String) {
    #expect(Self.title(Self.read("Tests/LoginTests.swift"), width: width) == row)
  }

  @Test("the word of a failure stays as long as the subject", arguments: [12, 20, 30, 40, 60])
  func word(width: Int) {
    let row = Self.title(Self.read("Tests/LoginTests.swift", state: .failed), width: width)
    #expect(DisplayWidth.of(row) <= width)
    if width >= 20 { #expect(row.contains("failed"), "\(row)") }
  }

  @Test("facts are aligned with those of other calls")
  func columns() {
    var slow = Self.read("b")
    slow.endedAt = Timestamp(seconds: 12)
    let rows = [Self.read("a"), slow].map { Self.title($0, width: 40) }
    #expect(
      rows
        == ["✓ read  a              214 lines  140 ms", "✓ read  b              214 lines    12 s"]
    )
    #expect(Self.title(slow, width: 400).count == ToolCallRows.maximumWidth)
  }
}
