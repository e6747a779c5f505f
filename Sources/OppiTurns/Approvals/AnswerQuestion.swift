// SPDX-License-Identifier: MIT

import EventLoop
import OppiClient
import OppiModel
import OppiText
import OppiWire

/// Answers a session's pending question without having followed the session.
struct AnswerQuestion: Sendable {
  private static let limit = Duration.seconds(10)

  let target: QuestionResolver.Target
  let api: IntentAPIClient

  private var session: ServerSession { target.session }

  /// Reads the pending question, lets `choose` pick an answer, and sends it; returns `nil` if there
  /// is no answer to send.
  ///
  /// Never starts an agent. `id` is the question's id if it is known, or that of a part which only
  /// one pending question has. Not every question can be read afterwards: `choose` gets `nil` for
  /// such a question, and returns `nil` to send no answer. A question that was found by its name is
  /// answered only if it is still that one.
  ///
  /// - Throws: If the answer could not be sent; ``OppiError`` if several questions are pending
  ///   and `id` names none of them alone; and what `choose` throws.
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
    let named = pending.filter { $0.id == id }
    let meant = id == nil ? pending : pending.filter { $0.parts.contains { $0.id == id } }
    guard !named.isEmpty || meant.count <= 1 else {
      let lines = meant.prefix(10).map { "\($0.id)  \($0.line.safeLine(limit: 80))" }
      throw OppiError(
        .ambiguousName,
        "session \(session.id) has several pending questions",
        hints: lines + ["answer one with: oppi answer ID VALUE…"],
        details: ["sessionId": .string(session.id)]
      )
    }
    let present = named.isEmpty ? meant : named
    let question = present.first
    guard let id = question?.id ?? id else { return .tooLate }
    if let shown = target.request?.question {
      guard let question else { return .tooLate }
      guard present.count == 1, question.isAbout(sameAs: shown) else {
        throw OppiError.requestChanged(id: id)
      }
    }
    guard let answer = try choose(question) else { return nil }
    let asked = question ?? UserQuestion(id: id, method: "", body: .null)
    return try await reply(answer, to: asked).send()
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
    return try await reply(answer, to: asked).send(over: stream, until: deadline)
  }

  private func reply(_ answer: QuestionAnswer, to question: UserQuestion) -> ReplyToRequest {
    ReplyToRequest(
      .answer(answer),
      to: .question(question),
      of: session.id,
      on: session.server,
      api: api
    )
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

/// Finds the question that a user names, by its own id or by its session.
struct QuestionResolver: Sendable {
  struct Target: Sendable {
    var session: ServerSession
    /// What asks a human on the session's server.
    var way: Dialect.Requests
    /// The request, if it was named; `nil` for the pending question of the session.
    var request: HumanRequest?
  }

  let fleet: Fleet
  let context: Services

  /// Finds a question by its id or a unique prefix of it, or by a name of its session, each after
  /// `SERVER/` if several servers may have it.
  ///
  /// Only servers that list their dialogs are searched for the id of a question.
  ///
  /// - Throws: ``OppiError`` if several questions match, or none and no session, or the prefix is
  ///   too short; the failure of a server if the question may be there.
  func resolve(_ name: String) async throws -> Target {
    let placed = PlacedID(name)
    guard placed.server == nil else {
      let only = try fleet.only(named: placed.server)
      return try await QuestionResolver(fleet: only, context: context).resolve(placed.id)
    }
    let (seenRequests, seenSessions) = (context.seenRequests, context.seenSessions)
    let fleet = fleet.having([name], by: seenRequests.merging(seenSessions) { $0.union($1) })
    let listing = fleet.servers.filter(\.listsDialogs)
    guard !listing.isEmpty, name != "last", WireID.isValid(name) else {
      return try await session(named: name, on: fleet)
    }
    let lists = fleet.only(listing)
    let queue = try await ApprovalQueue.ask(lists, .requests, for: [name], in: context)
    if queue.rows.contains(where: { $0.request.id == name }) {
      return try target(queue.request(named: name))
    }
    let matches = queue.rows.filter { $0.request.id.hasPrefix(name) }
    let isLong = name.count >= RequestName.leastLength
    do throws(OppiError) {
      let found = try await session(named: name, on: fleet)
      guard found.session.id == name || matches.isEmpty else {
        let session = found.session.server.qualified(found.session.id)
        throw OppiError.ambiguousRequest(
          name: name,
          candidates: matches.map(\.candidate) + ["\(session)  session"],
          isOnSeveralServers: false
        )
      }
      return found
    } catch {
      if error.reason == .unknownSession {
        guard matches.isEmpty || isLong else { throw OppiError.shortRequestName(name) }
        return try target(queue.request(named: name))
      }
      guard error.code != .ambiguousName else { throw error }
      // Not every server was asked, but a question has an id of its own.
      let unasked = Set(fleet.servers.map(\.id)).subtracting(queue.answered)
      if seenRequests.showGone(name, unless: unasked) { throw OppiError.requestGone(id: name) }
      guard let match = matches.first, matches.count == 1 else { throw error }
      // It is meant if it was listed, and no session that was listed there may be meant.
      let isListed = seenRequests[match.id.serverID]?.contains(match.request.id) == true
      guard isListed, isLong, !seenSessions.start(with: name, on: unasked) else {
        throw OppiError.unconfirmedMatch(name: name, match: match.request.id, because: error)
      }
      return try target(queue.request(named: name))
    }
  }

  private func session(named name: String, on fleet: Fleet) async throws(OppiError) -> Target {
    let session = try await SessionResolver(fleet, in: context, isStrict: true).resolve(name)
    return Target(session: session, way: session.server.dialect?.requests ?? .permissions)
  }

  private func target(_ row: ListedRequest) throws -> Target {
    let request = row.request
    guard let id = request.sessionID else { throw OppiError.requestGone(id: request.id) }
    let session = ServerSession(
      server: try context.server(row.id.serverID),
      id: id,
      workspaceID: row.workspaceID,
      workspaceName: row.workspaceName
    )
    return Target(session: session, way: .dialogs, request: request)
  }
}
