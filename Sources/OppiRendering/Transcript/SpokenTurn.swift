// SPDX-License-Identifier: MIT

package import OppiModel

/// The turns of a conversation as labelled lines for a listener.
package enum SpokenTurn {
  /// Returns a turn; the last line is the outcome with the turn's age.
  package static func lines(of turn: PastTurn, at now: Timestamp?) -> [StyledText] {
    let prompt = turn.prompt.map { lines(ofMessage: $0) } ?? []
    let steps = turn.steps.flatMap { step in
      switch step {
      case .text(let text): labelled(text, "agent")
      case .steer(let text): lines(ofMessage: text)
      case .call(let call): [line(of: call)]
      }
    }
    var end = "turn \(StatusMark(turn.activity).word.lowercased())"
    if let at = turn.endedAt, let now {
      end += ", \(RelativeTime.age(seconds: at.age(at: now))) ago"
    }
    return prompt + steps + [StyledText(end)]
  }

  /// Returns the lines of a user's message.
  package static func lines(ofMessage text: String) -> [StyledText] { labelled(text, "you") }

  private static func labelled(_ text: String, _ label: String) -> [StyledText] {
    TextBlock.lines(of: text).filter { !$0.allSatisfy(\.isWhitespace) }
      .map { StyledText("\(label): \($0)") }
  }

  private static func line(of call: PastCall) -> StyledText {
    let state = StatusMark(call.activity.state).word
    let title = ToolRenderers.title(of: call.activity)
    return StyledText("tool: \(state): \(title), call \(call.number)")
  }
}
