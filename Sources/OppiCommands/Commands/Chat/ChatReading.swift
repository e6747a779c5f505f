// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering
import OppiTransport

enum ChatReading: Sendable, Equatable {
  /// The last turns, or the last ones before a turn's number.
  case turns(before: Int?)
  /// A call by its number, with its full output.
  case call(Int)

  /// The most turns in a page.
  static let turnCount = 3
  /// The most text in a page, unless a single turn has more.
  static let sizeLimit = 128 << 10
}

/// A part of the conversation to show.
enum ChatPage: Sendable {
  /// Turns, the oldest first, with the time of reading.
  case turns([PastTurn], at: Timestamp)
  case call(PastCall)
  /// The reason why there is nothing to show.
  case nothing(String)
}

extension ChatLink {
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
  /// The latest turns within the size limit, at least one.
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
  /// The page for a full screen; a running turn has only its prompt, because the rest is shown
  /// live.
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

  /// The page for terminals without cursor control.
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
