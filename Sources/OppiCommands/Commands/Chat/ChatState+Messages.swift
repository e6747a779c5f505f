// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// The messages of a chat: those on their way, and those that the session tells.
extension ChatState {
  /// More are not told late.
  private static let echoLimit = 100

  /// Takes the session's own words: what a user has said is printed when the server tells it.
  mutating func heed(_ step: TurnFollower.Step) -> [ChatEffect] {
    guard case .changes(_, of: let message) = step else { return [] }
    agentCounter = max(agentCounter, message?.sequence ?? 0)
    switch message?.kind {
    case .connected(let session, let sequence):
      take(session)
      defer { agentCounter = sequence }
      // An agent that was started anew counts from the beginning, and has no queue.
      return sequence < agentCounter ? loseUnseen() : []
    case .state(let session): take(session)
    case .sessionEnded, .sessionDeleted: return loseUnseen()
    case .queueItemStarted(let item): return say(item.text)
    case .messageEnd(.user, let text):
      if let index = queuedUnseen.firstIndex(of: text) { queuedUnseen.remove(at: index) }
      guard let index = echoes.firstIndex(of: text) else {
        return [.print(Self.lines(ofMessage: text))]
      }
      echoes.remove(at: index)
    case .commandResult(let result):
      guard let id = result.requestID, let wish = self.changes.removeValue(forKey: id) else {
        break
      }
      return [.say(result.failure.map { "not changed: \($0.safeLine())" } ?? wish)]
    default: break
    }
    return []
  }

  private mutating func take(_ session: Session) {
    if session.id == self.session?.id || self.session == nil { self.session = session }
  }

  /// Gives up what was queued unseen: its queue is gone.
  private mutating func loseUnseen() -> [ChatEffect] {
    defer { queuedUnseen = [] }
    return queuedUnseen.isEmpty ? [] : [.print(Self.lines(ofLost: queuedUnseen))]
  }

  /// The lines for messages that left the queue with an unknown outcome.
  static func lines(ofLost texts: [String]) -> [StyledText] {
    texts.map {
      StyledText("lost from the queue, may have run: \($0.safeLine())", .error)
    }
  }

  private mutating func say(_ text: String) -> [ChatEffect] {
    echoes = echoes.suffix(Self.echoLimit - 1) + [text]
    return [.print(Self.lines(ofMessage: text))]
  }

  mutating func carry(_ errands: [ChatMail.Errand]) -> [ChatEffect] {
    errands.flatMap { errand -> [ChatEffect] in
      guard case .tell(let settled) = errand else { return [.carry(errand)] }
      return settle(settled)
    }
  }

  private mutating func settle(_ settled: ChatMail.Settled) -> [ChatEffect] {
    switch settled.verdict {
    // It is seen in the queue, and printed when its turn begins.
    case .delivered(.queued) where mail.tellsQueue: return [.say("queued")]
    case .delivered(.queued):
      queuedUnseen = queuedUnseen.suffix(Self.echoLimit - 1) + [settled.text]
      return say(settled.text) + [.say("queued")]
    case .delivered: return say(settled.text)
    case .unknown:
      return [.print(notice(of: settled) + Self.lines(ofMessage: settled.text))]
    case .notSent, .refused:
      leaving = nil
      return [.print(notice(of: settled)), .giveBack(settled.text)]
    }
  }

  /// An older server keeps its queue when a turn is stopped, and does not say so.
  func tellOfQueueAfterStop() -> [ChatEffect] {
    guard !mail.tellsQueue else { return [] }
    let texts = queuedUnseen + mail.outgoing.filter { !$0.isHeld }.map(\.text)
    let lines = texts.map { text in
      StyledText("may still be queued and run with the next prompt: \(text.safeLine())", .warning)
    }
    return lines.isEmpty ? [] : [.print(lines)]
  }

  private func notice(of settled: ChatMail.Settled) -> [StyledText] {
    settled.notice.map { [StyledText($0, .error)] } ?? []
  }

  /// Asks for a change of the session; the words are said once the server has made it.
  mutating func change(_ message: ClientMessage, saying words: String) -> [ChatEffect] {
    hasTalked = true
    return request(message, saying: words)
  }

  /// As ``change(_:saying:)``, where it is not the user who has just wished it.
  mutating func request(_ message: ClientMessage, saying words: String) -> [ChatEffect] {
    let id = newID()
    changes[id] = words
    return [.change(message, id: id)]
  }

  /// A user's message as it stands in the conversation.
  static func lines(ofMessage text: String) -> [StyledText] {
    text.safeBlock().split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .map { StyledText(($0 == 0 ? "› " : "  ") + $1, .name) }
  }
}
