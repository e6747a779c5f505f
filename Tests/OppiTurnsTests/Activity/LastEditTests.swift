// SPDX-License-Identifier: MIT

import OppiText
import Testing

@testable import OppiModel
@testable import OppiTurns

/// The last change of a file in a conversation, as `/diff` shows it.
@Suite struct LastEditTests {
  private static func turn(_ calls: [(tool: String, state: ToolCallState)]) -> Turn {
    var turn = Turn()
    turn.steps = calls.enumerated().map { index, call in
      .call(
        ToolCallActivity(
          id: "\(call.tool) \(index)",
          tool: call.tool,
          arguments: [:],
          state: call.state
        )
      )
    }
    return turn
  }

  @Test(
    "the last edit or written file that succeeded is found, whatever came after it",
    arguments: [
      ([], nil),
      ([[("read", .succeeded), ("bash", .succeeded)]], nil),
      ([[("edit", .failed), ("write", .running)]], nil),
      ([[("edit", .succeeded), ("edit", .succeeded), ("bash", .succeeded)]], "edit 1"),
      ([[("edit", .succeeded)], [("write", .succeeded), ("edit", .planned)]], "write 0"),
      ([[("write", .succeeded)], [("read", .succeeded)], []], "write 0"),
    ] as [([[(String, ToolCallState)]], String?)]
  )
  func found(turns: [[(String, ToolCallState)]], id: String?) {
    #expect(turns.map(Self.turn).lastEdit?.id == id)
  }
}
