// SPDX-License-Identifier: MIT

package import OppiModel

/// The turns of a conversation as text for pipes and files: what was said as it was written, and a line
/// for each call.
package enum TurnText {
  /// Returns a turn, which ends with what it came to in parentheses.
  package static func text(of turn: PastTurn) -> String {
    let prompt = turn.prompt.map { ["› \($0)"] } ?? []
    let steps = turn.steps.map { step in
      switch step {
      case .text(let text): text
      case .steer(let text): "› \(text)"
      case .call(let call): line(of: call)
      }
    }
    return (prompt + steps + ["(\(StatusMark(turn.activity).word))"]).joined(separator: "\n\n")
      .safeBlock()
  }

  /// Returns a call in one line, with its number and its state.
  static func line(of call: PastCall) -> String {
    let state = StatusMark(call.activity.state).word
    return "#\(call.number) \(ToolRenderers.title(of: call.activity)) (\(state))"
  }
}
