// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// Answers a session's pending question without having followed the session.
struct AnswerQuestion: Sendable {
  private static let limit = Duration.seconds(10)

  private let target: QuestionResolver.Target
  private let api: IntentAPIClient

  init(of target: QuestionResolver.Target, api: IntentAPIClient) {
    (self.target, self.api) = (target, api)
  }

  private var session: ServerSession { target.session }

  /// Reads the pending question, lets `choose` pick an answer, and sends it; returns `nil` if there
  /// is no answer to send.
  ///
  /// Never starts an agent. `id` is the question's id if it is known: not every question can be read
  /// afterwards. `choose` gets `nil` for such a question, and returns `nil` to send no answer. A
  /// question that was found by its name is answered only if it is still that one.
  ///
  /// - Throws: If the answer could not be sent; ``OppiError`` if several questions are pending
  ///   and `id` is `nil`; and what `choose` throws.
  func answer(
    questionID id: String?,
    choosing choose: (UserQuestion?) throws -> QuestionAnswer?
  ) async throws -> DecisionOutcome? {
    target.way.listsDialogs
      ? try await answerListed(id, choose) : try await answerOverStream(id, choose)
  }

  // MARK: - Dialogs that are listed

  private func answerListed(
    _ id: String?,
    _ choose: (UserQuestion?) throws -> QuestionAnswer?
  ) async throws -> DecisionOutcome? {
    let pending = try await api.within(Self.limit).dialogs(of: session.id).requests
      .compactMap(\.question)
    guard id != nil || pending.count <= 1 else {
      let lines = pending.prefix(10).map { "\($0.id)  \($0.line.safeLine(limit: 80))" }
      throw OppiError(
        .ambiguousName,
        "session \(session.id) has several pending questions",
        hints: lines + ["answer one with: oppi answer ID VALUE…"],
        details: ["sessionId": .string(session.id)]
      )
    }
    let present = id.map { id in pending.filter { $0.id == id } } ?? pending
    let question = present.first
    guard let id = id ?? question?.id else { return .tooLate }
    if let shown = target.request?.question {
      guard let question else { return .tooLate }
      guard present.count == 1, question.isAbout(sameAs: shown) else {
        throw OppiError.requestChanged(id: id)
      }
    }
    guard let answer = try choose(question) else { return nil }
    let asked = question ?? UserQuestion(id: id, method: "", body: .null)
    return try await ReplyToRequest(
      .answer(answer),
      to: .question(asked),
      of: session.id,
      on: session.server,
      api: api
    ).send()
  }

  // MARK: - Questions on a stream

  /// Servers do not repeat dialogs to late subscribers, and older servers repeat no question.
  private func answerOverStream(
    _ id: String?,
    _ choose: (UserQuestion?) throws -> QuestionAnswer?
  ) async throws -> DecisionOutcome? {
    let calls = api.within(Self.limit)
    let place = try await api.located(session)
    let listed = try await calls.listSessions().first { $0.id == session.id }
    guard let listed, try await calls.liveSession(listed) != nil else { return .tooLate }
    let stream = try await calls.openStream(of: place)
    do {
      let outcome = try await answer(questionID: id, over: stream, until: calls.deadline, choose)
      await stream.close()
      return outcome
    } catch {
      await stream.close()
      throw error
    }
  }

  private func answer(
    questionID id: String?,
    over stream: IntentWebSocket,
    until deadline: EventLoop.Instant,
    _ choose: (UserQuestion?) throws -> QuestionAnswer?
  ) async throws -> DecisionOutcome? {
    let question = try await question(over: stream, until: deadline)
    guard let id = id ?? question?.id else { return .tooLate }
    let told = question?.id == id ? question : nil
    guard let answer = try choose(told) else { return nil }
    let asked = told ?? UserQuestion(id: id, method: "", body: .null)
    return try await api.recording(.answer(answer), to: .question(asked), of: session.id) {
      () async throws(OppiError) in
      do throws(OppiError) {
        return try await stream.accepts(.answer(answer), to: id, of: session.id, until: deadline)
          ? .decided : .tooLate
      } catch {
        guard error.mayHaveArrived else { throw error }
        return .unknown
      }
    }
  }

  /// The question that the server repeats to a new subscriber.
  private func question(
    over stream: IntentWebSocket,
    until deadline: EventLoop.Instant
  ) async throws(OppiError) -> UserQuestion? {
    guard stream.kind == .multiplexed else { return nil }
    let subscription = stream.newID()
    try await stream.send(
      [.init(.subscribe(), id: subscription)],
      to: session.id,
      until: deadline
    )
    var question: UserQuestion?
    while true {
      let (message, _) = try await stream.receive(until: deadline)
      switch message.kind {
      case .question(let asked) where message.sessionID ?? session.id == session.id:
        question = asked
      case .commandResult(let result) where result.requestID == subscription:
        if let reason = result.failure {
          throw .refused(status: 409, message: reason, server: api.serverName)
        }
        return question
      default: break
      }
    }
  }
}
