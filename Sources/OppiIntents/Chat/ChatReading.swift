// SPDX-License-Identifier: MIT

package import OppiModel

/// A part of the conversation that is to be shown again.
package enum ChatReading: Sendable, Equatable {
  /// The last turns, or the last of those before the turn with a number.
  case turns(before: Int?)
  /// The call with a number, with all that it has printed.
  case call(Int)

  /// How many turns are shown at once.
  static let turnCount = 3
  /// More text is shown turn by turn.
  package static let sizeLimit = 128 << 10
}

/// What was found of a conversation.
package enum ChatPage: Sendable {
  /// Turns, the oldest first, as they stood at a moment.
  case turns([PastTurn], at: Timestamp)
  case call(PastCall)
  case noEarlierTurns
  /// No call has the number.
  case noCall(Int)
  case unreadable(because: any Error)
}

extension ChatLink {
  /// Reads a part of the conversation.
  func page(_ reading: ChatReading, at now: Timestamp) async -> ChatPage {
    do {
      let conversation = try await conversation()
      switch reading {
      case .turns(let number):
        let turns = conversation.transcript.turns(last: ChatReading.turnCount, before: number)
        return turns.isEmpty ? .noEarlierTurns : .turns(turns.fitting(), at: now)
      case .call(let number):
        guard var call = conversation.transcript.call(number) else { return .noCall(number) }
        if let output = try await wholeOutput(of: call) { call.output = output }
        return .call(call)
      }
    } catch {
      return .unreadable(because: error)
    }
  }
}

extension [PastTurn] {
  /// The latest of them that are not too much to be shown at once, and at least one.
  fileprivate func fitting() -> [PastTurn] {
    var size = 0
    return reversed().prefix { turn in
      defer { size += turn.size }
      return size == 0 || size + turn.size <= ChatReading.sizeLimit
    }
    .reversed()
  }
}
