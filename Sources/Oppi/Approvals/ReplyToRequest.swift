// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport

/// Sends a user's reply to a request of either kind, and reports the result.
struct ReplyToRequest: Sendable {
  private let reply: RequestReply
  private let api: IntentAPIClient

  init(_ reply: RequestReply, api: IntentAPIClient) {
    (self.reply, self.api) = (reply, api)
  }

  /// Replies to a pending request of a server.
  ///
  /// - Throws: ``OppiError`` if the request does not accept the reply; `IntentError` if it is
  ///   still pending and the server is not processing the reply, or the server cannot be reached.
  func send(
    to request: HumanRequest,
    on server: PairedServer
  ) async throws -> DecisionOutcome {
    switch (request, try accepted(by: request)) {
    case (.permission(let request), .decision(let decision)):
      return try await DecideRequest(api: api).decide(decision, request, on: server)
    case (.question(let question), .answer(let answer)):
      let sessionID = try session(of: request, on: server)
      return try await AnswerDialog(api: api).answer(answer, to: question, of: sessionID)
    default: throw OppiError.needsDecision(id: request.id)
    }
  }

  /// Replies to a request that was shown earlier, if it is still pending and unchanged.
  ///
  /// - Throws: As ``send(to:on:)``, and if the pending requests cannot be listed.
  func send(
    asShown request: HumanRequest,
    on server: PairedServer
  ) async throws -> DecisionOutcome {
    switch (request, try accepted(by: request)) {
    case (.permission(let request), .decision(let decision)):
      return try await DecideRequest(api: api).decide(decision, asShown: request, on: server)
    case (.question(let question), .answer(let answer)):
      let sessionID = try session(of: request, on: server)
      return try await AnswerDialog(api: api).answer(answer, asShown: question, of: sessionID)
    default: throw OppiError.needsDecision(id: request.id)
    }
  }

  private func accepted(by request: HumanRequest) throws -> RequestReply {
    do throws(HumanRequest.Mismatch) {
      return try request.accepting(reply)
    } catch {
      switch error {
      case .needsAnswer:
        let options = request.question.map { OptionNames($0.options).shown } ?? []
        throw OppiError.needsAnswer(id: request.id, kind: request.kind, options: options)
      case .needsDecision: throw OppiError.needsDecision(id: request.id)
      case .hasNoScope: throw OppiError.hasNoScope(id: request.id)
      case .incomplete: throw IntentError.requestNotWhole(id: request.id)
      }
    }
  }

  private func session(
    of request: HumanRequest,
    on server: PairedServer
  ) throws(IntentError) -> String {
    guard let id = request.sessionID, WireID.isValid(id) else {
      throw .malformedAnswer(server: server.name, what: "the session of request \(request.id)")
    }
    return id
  }
}

/// Records what this machine replies to the requests of a server.
struct ReplyRecorder: Sendable {
  let log: SentReplyLog
  let server: PairedServer
  /// The command that runs.
  let surface: String
  /// Whether an option or a setting replies, not the user.
  var isAutomatic = false
  let reporter: any IntentReporter

  /// A failure is a warning: the reply was sent.
  fileprivate func record(_ reply: SentReply) async {
    var reply = reply
    (reply.serverID, reply.server) = (server.id, server.name)
    (reply.surface, reply.isAutomatic) = (surface, isAutomatic)
    do {
      try await log.append(reply)
    } catch {
      await reporter.warn("the decision is not in this machine's record", because: error)
    }
  }
}

extension IntentAPIClient {
  /// A copy for replies by an option or a setting.
  var onItsOwn: IntentAPIClient {
    var client = self
    client.recorder?.isAutomatic = true
    return client
  }

  /// Sends a reply, and records it with its result; every reply of this machine passes through here.
  func recording(
    _ reply: RequestReply,
    to request: HumanRequest,
    of sessionID: String?,
    sending send: () async throws(IntentError) -> DecisionOutcome
  ) async throws(IntentError) -> DecisionOutcome {
    func record(_ outcome: DecisionOutcome?) async {
      let now = loop.timestamp()
      await recorder?.record(
        SentReply(reply, to: request, in: sessionID, outcome: outcome, at: now)
      )
    }
    do throws(IntentError) {
      let outcome = try await send()
      await record(outcome)
      return outcome
    } catch {
      await record(nil)
      throw error
    }
  }
}

/// The decisions and answers that this machine sent, in `decisions.jsonl`, readable only by this
/// user: one JSON object per line, in the order of the results.
///
/// Lines are only appended; beyond the limit, the oldest are dropped.
struct SentReplyLog: Sendable {
  /// In bytes.
  static let sizeLimit = 2 << 20

  private let path: String
  private let files: FileStore

  init(paths: XDGPaths, files: FileStore) {
    (path, self.files) = (paths.decisionsFile, files)
  }

  /// - Throws: `FileError` if the file cannot be written.
  func append(_ reply: SentReply) async throws(FileError) {
    let line = SentReply.shape.json(of: reply).bytes()
    try await files.withLog(at: path) { log throws(FileError) in
      try log.append(line: line)
      guard log.size > Self.sizeLimit else { return }
      let bytes = try files.read(path, limit: log.size) ?? []
      let kept = bytes.suffix(Self.sizeLimit / 2).drop { $0 != UInt8(ascii: "\n") }.dropFirst()
      try files.replace(path, with: Array(kept))
    }
  }

  /// The valid entries, the oldest first.
  ///
  /// - Throws: `FileError` if the file exists and cannot be read.
  func entries() throws(FileError) -> [SentReply] {
    let bytes = try files.read(path, limit: 2 * Self.sizeLimit) ?? []
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      (try? JSONValue(parsing: Array(line))).flatMap(SentReply.shape.record)
    }
  }
}

/// A message about a pending item over a stream, which confirms nothing.
///
/// The server reports only unknown items. So the same message for a made-up id follows at once: the
/// error for that id shows that the server has processed the first message.
struct StreamWord {
  /// The message for an item's id.
  private let message: @Sendable (_ id: String) -> ClientMessage
  private let id: String
  /// The start of the server's error for an unknown item.
  private let refusal: String

  /// A decision on a tool call; the made-up id gets a denial.
  static func decision(_ decision: PermissionDecision, on id: String) -> StreamWord {
    StreamWord(
      message: { .decide(permissionID: $0, $0 == id ? decision : .deny) },
      id: id,
      refusal: "Permission request not found: "
    )
  }

  /// An answer to a question; the made-up id gets a cancelled answer.
  static func answer(_ answer: QuestionAnswer, to id: String) -> StreamWord {
    StreamWord(
      message: { .answer(questionID: $0, $0 == id ? answer : .cancelled) },
      id: id,
      refusal: "UI request not found: "
    )
  }

  /// Sends the message, and returns whether the server accepted it; false if the item is not
  /// pending.
  ///
  /// - Throws: If the message could not be sent, or the server does not respond.
  func isHeard(
    over stream: IntentWebSocket,
    of sessionID: String,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> Bool {
    let unknown = stream.newID()
    try await stream.send(
      [.init(message(id), id: stream.newID()), .init(message(unknown), id: stream.newID())],
      to: sessionID,
      until: deadline
    )
    while true {
      guard case .error(let text, _, _) = try await stream.receive(until: deadline).kind else {
        continue
      }
      if text == refusal + id { return false }
      if text == refusal + unknown { return true }
    }
  }
}
