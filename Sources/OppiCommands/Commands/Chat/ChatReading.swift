// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering
import OppiTransport

/// A part of the conversation that is to be shown again.
enum ChatReading: Sendable, Equatable {
  /// The last turns, or the last of those before the turn with a number.
  case turns(before: Int?)
  /// The call with a number, with all that it has printed.
  case call(Int)

  /// How many turns are shown at once.
  static let turnCount = 3
  /// More text is shown turn by turn.
  static let sizeLimit = 128 << 10
}

/// What was found of a conversation.
enum ChatPage: Sendable {
  /// Turns, the oldest first, as they stood at a moment.
  case turns([PastTurn], at: Timestamp)
  case call(PastCall)
  /// There is nothing to show, and why.
  case nothing(String)
}

extension ChatLink {
  /// Reads a part of the conversation.
  func page(_ reading: ChatReading, at now: Timestamp) async -> ChatPage {
    do {
      let conversation = try await conversation()
      switch reading {
      case .turns(let number):
        let turns = conversation.transcript.turns(last: ChatReading.turnCount, before: number)
        return turns.isEmpty
          ? .nothing("no earlier turns") : .turns(turns.fitting(), at: now)
      case .call(let number):
        guard var call = conversation.transcript.call(number) else {
          return .nothing("no call \(number); /show lists all calls")
        }
        if let output = try await wholeOutput(of: call) { call.output = output }
        return .call(call)
      }
    } catch {
      return .nothing("cannot read the conversation: \(OppiError(error).message)")
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

extension ChatPage {
  /// The page as it is seen on a screen; of a turn that still runs no more than what was asked, since
  /// the rest is told as it happens.
  func rows(width: Int) -> [StyledText] {
    switch self {
    case .turns(let turns, let now):
      let blocks = turns.map { turn in
        turn.activity.isFinished
          ? TurnRows.rows(of: turn, width: width, now: now)
          : turn.prompt.map { ChatState.lines(ofMessage: $0) } ?? []
      }
      return Array(blocks.joined(separator: [StyledText()])) + [StyledText()]
    case .call(let call): return CallRows.rows(of: call, width: width)
    case .nothing(let why): return [StyledText(why, .dim)]
    }
  }

  /// The page line by line, for terminals that can only print.
  var lines: [StyledText] {
    guard case .turns(let turns, _) = self else { return rows(width: 80) }
    return turns.map { turn in
      turn.activity.isFinished
        ? TurnText.text(of: turn)
        : turn.prompt.map { "› \($0.safeBlock())" } ?? ""
    }
    .flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) + [""] }
    .map { StyledText(String($0)) }
  }
}
