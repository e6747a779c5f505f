// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// Something that a chat wants done.
enum ChatEffect: Sendable, Equatable {
  /// What a message needs on its way.
  case carry(ChatMail.Errand)
  case stopTurn
  case decide(PermissionRequest, PermissionDecision)
  case answer(questionID: String, QuestionAnswer)
  /// A change of the session, under the id that the server's answer repeats.
  case change(ClientMessage, id: String)
  /// Learn what a person should know beside a request.
  case lookAround
  /// Show a part of the conversation again.
  case read(ChatReading)
  /// Keep a message for later chats.
  case remember(String)
  /// A word about what goes on, which the next one may replace.
  case say(String)
  /// Lines that stay.
  case print([StyledText])
  /// A message that did not reach the agent goes back to who has written it.
  case giveBack(String)
  case leave
}

/// Something that a chat is told.
enum ChatNews: Sendable {
  /// The session's news, with how the server streams; `nil` while no stream is open.
  case step(TurnFollower.Step, TurnActivity, PairedServer.Dialect?)
  /// What came of a stop, a decision, an answer or a change.
  case performed(ChatResult)
  /// What was looked for on behalf of a message.
  case looked(ChatMail.Look)
  case surroundings(Surroundings)
  case page(ChatPage)
}

/// What came of an effect, in words.
struct ChatResult: Sendable, Equatable {
  /// What was tried.
  enum Deed: Sendable, Equatable {
    case stop
    /// An answer to the request or question with the id.
    case answer(id: String)
    /// A change of the session under the id.
    case change(id: String)
  }

  /// Whether it came to anything.
  enum Outcome: Sendable, Equatable {
    /// The server has it, as far as it says.
    case holds
    /// Somebody else was first.
    case tooLate
    case failed
  }

  var deed: Deed
  /// What is to be said, if anything.
  var text: String?
  var outcome = Outcome.holds
}

extension TurnFollower.Step {
  /// What a chat says of the step; of the changes, what `tell` makes of each.
  func effects(_ tell: (ActivityChange) -> [ChatEffect]) -> [ChatEffect] {
    switch self {
    case .changes(let changes, _), .past(let changes): changes.flatMap(tell)
    case .lost(let error, _), .givenUp(let error):
      [.say("connection lost: \(OppiError(error).message)")]
    case .standing(let standing): standing.isFirst ? [] : [.say("reconnected")]
    case .timeCame: []
    }
  }
}
