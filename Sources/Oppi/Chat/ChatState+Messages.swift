// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiTurns
import OppiWire

/// The messages of a chat: the outgoing ones, and those that the session reports.
extension ChatState {
  /// The most messages to remember while waiting for the server to repeat them.
  private static let echoLimit = 100

  /// Handles a step of the session; prints users' messages as the server reports them.
  mutating func apply(_ step: SessionNews) -> [ChatEffect] {
    guard case .changes(_, of: let message) = step else { return [] }
    agentCounter = max(agentCounter, message?.sequence ?? 0)
    switch message?.kind {
    case .connected(let session, let sequence):
      take(session)
      defer { agentCounter = sequence }
      // A restarted agent counts from the beginning, and its queue is empty.
      return sequence < agentCounter ? loseUnseen() : []
    case .state(let session), .summary(let session): take(session)
    case .sessionEnded, .sessionDeleted: return loseUnseen()
    case .queueState(let queue): for item in queue { forgetUnseen(item.text) }
    case .queueItemStarted(let item):
      forgetUnseen(item.text)
      return say(item.text, imageCount: images.started(item.id))
    case .messageEnd(.user, let text):
      forgetUnseen(text)
      guard let index = echoes.firstIndex(where: { $0.isText(ofMessage: text) }) else {
        let (words, imageCount) = text.withoutMedia
        return [.printMessage(words, imageCount: imageCount)]
      }
      echoes.remove(at: index)
    case .commandResult(let result):
      if lists.take(result) { break }
      guard let id = result.requestID, let words = self.changes.removeValue(forKey: id) else {
        break
      }
      return [.say(result.failure.map { "not changed: \($0.safeLine())" } ?? words)]
    default: break
    }
    return []
  }

  private mutating func take(_ session: Session) {
    if session.id == self.session?.id || self.session == nil { self.session = session }
  }

  private mutating func keepUnseen(_ text: String) {
    queuedUnseen = queuedUnseen.suffix(Self.echoLimit - 1) + [text]
  }

  private mutating func forgetUnseen(_ text: String) {
    let index = queuedUnseen.firstIndex { $0.isText(ofMessage: text) }
    if let index { queuedUnseen.remove(at: index) }
  }

  /// Reports messages in an unreported queue as lost, because the queue is gone.
  private mutating func loseUnseen() -> [ChatEffect] {
    defer { queuedUnseen = [] }
    return queuedUnseen.isEmpty ? [] : [.print(Self.lines(ofLost: queuedUnseen))]
  }

  static func lines(ofLost texts: [String]) -> [StyledText] {
    texts.map {
      StyledText("lost from the queue, may have run: \($0.safeLine())", .error)
    }
  }

  private mutating func say(_ text: String, imageCount: Int) -> [ChatEffect] {
    echoes = echoes.suffix(Self.echoLimit - 1) + [text]
    return [.printMessage(text, imageCount: imageCount)]
  }

  mutating func perform(_ effects: [OutgoingMessages.Effect]) -> [ChatEffect] {
    effects.flatMap { effect -> [ChatEffect] in
      guard case .report(let message, let verdict) = effect else { return [.deliver(effect)] }
      return settle(message, verdict)
    }
  }

  private mutating func settle(
    _ message: Prompt,
    _ verdict: PromptDelivery.Verdict
  ) -> [ChatEffect] {
    let text = message.text
    let imageCount = images.settle(message.clientTurnID, verdict)
    let notice = verdict.notice(of: message).map { [StyledText($0, .error)] } ?? []
    switch verdict {
    // It is visible in the queue once the server reports that, and printed when its turn starts.
    case .delivered(.queued) where mail.reportsQueue:
      keepUnseen(text)
      return [.say("queued")]
    case .delivered(.queued):
      keepUnseen(text)
      return say(text, imageCount: imageCount) + [.say("queued")]
    case .delivered(.accepted):
      // It may still be queued: the server reported nothing more about it.
      keepUnseen(text)
      return say(text, imageCount: imageCount)
    case .delivered(.started): return say(text, imageCount: imageCount)
    case .unknown: return [.print(notice + Self.lines(ofMessage: text))]
    case .notSent, .refused:
      exit.cancel()
      return [.print(notice), .giveBack(text)]
    }
  }

  /// Warns after a stop: an older server keeps its queue without reporting it.
  func tellOfQueueAfterStop() -> [ChatEffect] {
    guard !mail.reportsQueue else { return [] }
    let texts = queuedUnseen + mail.outgoing.filter { !$0.isHeld }.map(\.text)
    let lines = texts.map { text in
      StyledText("may still be queued and run with the next prompt: \(text.safeLine())", .warning)
    }
    return lines.isEmpty ? [] : [.print(lines)]
  }

  /// Requests a change of the session on behalf of the user; shows `words` after the server made
  /// it.
  mutating func change(_ message: ClientMessage, saying words: String) -> [ChatEffect] {
    hasTalked = true
    return request(message, saying: words)
  }

  /// As ``change(_:saying:)``, but not on behalf of the user.
  mutating func request(_ message: ClientMessage, saying words: String) -> [ChatEffect] {
    let id = newID()
    changes[id] = words
    return [.change(message, id: id)]
  }

  static func lines(ofMessage text: String) -> [StyledText] {
    text.safeBlock().split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .map { StyledText(($0 == 0 ? "› " : "  ") + $1, .name) }
  }
}
