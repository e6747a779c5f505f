// SPDX-License-Identifier: MIT

package import OppiModel

/// The turns of a conversation as text for pipes and files.
///
/// Messages are as written; a call is one line.
package enum TurnText {
  /// Returns a turn; the last line is the outcome in parentheses.
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

  static func line(of call: PastCall) -> String {
    let state = StatusMark(call.activity.state).word
    return "#\(call.number) \(ToolRenderers.title(of: call.activity)) (\(state))"
  }
}
