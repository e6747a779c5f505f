// SPDX-License-Identifier: MIT

import OppiModel

/// A part of the conversation to show again.
enum ChatReading: Sendable, Equatable {
  /// The last turns, or the last turns before the turn with a number.
  case turns(before: Int?)
  /// The call with a number, with its full output.
  case call(Int)

  /// The maximum number of turns that are shown at once.
  static let turnCount = 3
  /// The maximum size of the turns that are shown at once; a single larger turn is shown alone.
  static let sizeLimit = 128 << 10
}

/// The result of reading a part of a conversation.
enum ChatPage: Sendable {
  /// Turns, the oldest first, in their state at a time.
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
  /// The last turns that fit into the size limit, at least one.
  fileprivate func fitting() -> [PastTurn] {
    var size = 0
    return reversed().prefix { turn in
      defer { size += turn.size }
      return size == 0 || size + turn.size <= ChatReading.sizeLimit
    }
    .reversed()
  }
}
