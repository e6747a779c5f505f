// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// Answers a dialog over REST, and reports what is known about the answer.
///
/// The first answer of any client counts. Never starts an agent; never sends an answer twice.
struct AnswerDialog: Sendable {
  private static let limit = Duration.seconds(5)
  /// How long an answered dialog may still be listed.
  private static let settlingLimit = Duration.seconds(2)
  private static let firstPause = Duration.milliseconds(50)

  private let api: IntentAPIClient

  init(api: IntentAPIClient) {
    self.api = api
  }

  /// Answers a dialog of a session.
  ///
  /// - Throws: If the dialog is still pending and the server is not processing the answer, or the
  ///   server cannot be reached.
  func answer(
    _ answer: QuestionAnswer,
    to question: UserQuestion,
    of sessionID: String
  ) async throws(IntentError) -> DecisionOutcome {
    guard ApprovalPolicy.obstacle(to: answer, question) == nil else {
      throw .requestNotWhole(id: question.id)
    }
    return try await api.recording(.answer(answer), to: .question(question), of: sessionID) {
      () async throws(IntentError) in
      try await self.send(answer, to: question, of: sessionID)
    }
  }

  private func send(
    _ answer: QuestionAnswer,
    to question: UserQuestion,
    of sessionID: String
  ) async throws(IntentError) -> DecisionOutcome {
    let deadline = api.loop.now + Self.limit
    do throws(IntentError) {
      let reply = try await api.answer(
        answer,
        toDialog: question.id,
        of: sessionID,
        until: deadline
      )
      switch reply {
      case .gone: return .tooLate
      case .refused(let reason):
        throw IntentError.refused(status: 409, message: reason, server: api.serverName)
      case .accepted: return await confirmed(question, of: sessionID)
      }
    } catch {
      guard error.mayHaveArrived else { throw error }
      // After a timeout or an interruption the server may still be processing the answer, even if it
      // lists the dialog.
      let isSettled = !error.isTimeout && !error.isCancellation
      if isSettled, await isPending(question, of: sessionID) == true { throw error }
      return .unknown
    }
  }

  /// Answers a dialog that was shown earlier, if it is still pending and unchanged.
  ///
  /// A dialog of a kind that is not listed is answered by its id alone.
  ///
  /// - Throws: As ``answer(_:to:of:)``, and if the dialogs cannot be listed.
  func answer(
    _ answer: QuestionAnswer,
    asShown question: UserQuestion,
    of sessionID: String
  ) async throws(IntentError) -> DecisionOutcome {
    if question.kind.isListed {
      let list = try await api.dialogs(of: sessionID, until: api.loop.now + Self.limit)
      let present = list.dialogs.filter { $0.id == question.id }
      guard let first = present.first else { return .tooLate }
      guard present.count == 1, first.asksSame(as: question) else { return .changed }
    }
    return try await self.answer(answer, to: question, of: sessionID)
  }

  // MARK: - Confirmation

  /// Waits until the server shows that it has processed an answer.
  private func confirmed(
    _ question: UserQuestion,
    of sessionID: String
  ) async -> DecisionOutcome {
    guard question.kind.isListed else { return await probed(sessionID) }
    let end = api.loop.now + Self.settlingLimit
    var pause = Self.firstPause
    while true {
      guard let isPending = await isPending(question, of: sessionID) else { return .unknown }
      if !isPending { return .decided }
      guard api.loop.now + pause < end, (try? await api.loop.sleep(for: pause)) != nil else {
        return .unknown
      }
      pause += pause
    }
  }

  /// Whether the dialog is still listed; `nil` if the server cannot be queried.
  private func isPending(_ question: UserQuestion, of sessionID: String) async -> Bool? {
    let list = try? await api.dialogs(of: sessionID, until: api.loop.now + Self.limit)
    return list?.dialogs.contains { $0.id == question.id }
  }

  /// Cancels a made-up dialog: the error for it shows that the server reports unknown dialogs, so
  /// that it accepted the answer to the real one.
  private func probed(_ sessionID: String) async -> DecisionOutcome {
    let reply = try? await api.answer(
      .cancelled,
      toDialog: api.loop.newID(),
      of: sessionID,
      until: api.loop.now + Self.limit
    )
    return reply == .gone ? .decided : .unknown
  }
}
