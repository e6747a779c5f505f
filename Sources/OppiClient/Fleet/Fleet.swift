// SPDX-License-Identifier: MIT

import EventLoop
package import OppiWire

/// Several servers that are queried concurrently.
///
/// All have the same deadline, and each answers or fails independently.
package struct Fleet: Sendable {
  /// After this time, the servers that have not answered are reported.
  private static let patience = Duration.milliseconds(500)

  package struct Answer<Value: Sendable>: Sendable {
    package var server: PairedServer
    package var result: Result<Value, OppiError>
    /// The response time.
    package var elapsed: Duration
  }

  package typealias Question<Value: Sendable> =
    @Sendable (ServerCalls, PairedServer) async throws(OppiError) -> Value

  /// Asks a server what it offers, and returns it with its current dialect.
  typealias Detection = @Sendable (PairedServer) async throws(OppiError) -> PairedServer

  /// Shows the names of the servers that have not answered yet; none removes them.
  typealias WaitingNote = @Sendable ([String]) async -> Void

  package private(set) var servers: [PairedServer]
  package let connections: Connections
  private(set) var limit: Duration
  private let redetect: Detection?
  /// Called while an answer takes long; `nil` to wait silently.
  var waiting: WaitingNote?

  /// A server that lacks a route is detected again with `redetect`, and queried once more if its
  /// dialect has changed.
  init(
    _ servers: [PairedServer],
    connections: Connections,
    within limit: Duration = ServerCalls.limit,
    redetect: Detection? = nil
  ) {
    self.servers = servers
    self.connections = connections
    self.limit = limit
    self.redetect = redetect
  }

  /// The servers that the names of sessions or requests name, or that are known to have their ids;
  /// all, if no server or several had one of the ids.
  ///
  /// An action on what a known server has waits for no other. With `orStarts` the start of an id is
  /// enough, which other servers may have too.
  package func having(_ names: [String], by seen: SeenIDs, orStarts: Bool = false) -> Fleet {
    var known: Set<Fingerprint> = []
    for name in names.map(PlacedID.init) {
      let holders =
        name.server.map(servers.matches)
        ?? servers.filter { server in
          orStarts
            ? seen.start(with: name.id, on: [server.id])
            : seen[server.id]?.contains(name.id) == true
        }
      guard holders.count == 1, let holder = holders.first else { return self }
      known.insert(holder.id)
    }
    return known.isEmpty ? self : only(servers.filter { known.contains($0.id) })
  }

  /// A fleet of one of the servers, with the same limit.
  func only(_ server: PairedServer) -> Fleet { only([server]) }

  package func only(_ servers: [PairedServer]) -> Fleet {
    var fleet = self
    fleet.servers = servers
    return fleet
  }

  /// The servers that are not in another fleet, each queried for at most `limit`.
  package func others(than fleet: Fleet, within limit: Duration) -> Fleet {
    let ids = Set(fleet.servers.map(\.id))
    var others = only(servers.filter { !ids.contains($0.id) })
    (others.limit, others.waiting) = (min(limit, self.limit), nil)
    return others
  }

  /// Queries all servers, and passes each answer to `onAnswer` as it arrives.
  ///
  /// `limit` replaces the fleet's limit for one server.
  package func ask<Value: Sendable>(
    within limit: Duration? = nil,
    _ question: @escaping Question<Value>,
    onAnswer: (Answer<Value>) async -> Void
  ) async {
    let begin = connections.loop.now
    let limit = limit ?? self.limit
    let stored = connections.credentials.stored()
    await withTaskGroup(of: Answer<Value>?.self) { group in
      for server in servers {
        group.addTask {
          var server = server
          let result: Result<Value, OppiError>
          do throws(OppiError) {
            result = .success(
              try await answer(of: &server, with: stored, until: begin + limit, question)
            )
          } catch {
            result = .failure(error)
          }
          let elapsed = begin.duration(to: connections.loop.now)
          return Answer(server: server, result: result, elapsed: elapsed)
        }
      }
      if waiting != nil {
        group.addTask { [loop = connections.loop] in
          try? await loop.sleep(until: begin + Self.patience)
          return nil
        }
      }
      await take(from: &group, onAnswer)
    }
  }

  /// Passes on the answers as they arrive, and reports the servers without one since the group's
  /// task without an answer has ended.
  private func take<Value: Sendable>(
    from group: inout TaskGroup<Answer<Value>?>,
    _ onAnswer: (Answer<Value>) async -> Void
  ) async {
    var silent = servers
    var isShown = false
    while !silent.isEmpty, let next = await group.next() {
      if let next { silent.removeAll { $0.id == next.server.id } }
      if next == nil, !Task.isCancelled { isShown = true }
      if isShown { await waiting?(silent.map(\.name)) }
      if let next { await onAnswer(next) }
    }
    group.cancelAll()
  }

  private func answer<Value: Sendable>(
    of server: inout PairedServer,
    with stored: CredentialStore.Stored,
    until deadline: EventLoop.Instant,
    _ question: Question<Value>
  ) async throws(OppiError) -> Value {
    let client = try await connections.client(for: server, with: stored)
    do {
      return try await question(client.until(deadline), server)
    } catch  where error.isMissingRoute {
      guard let current = try await redetect?(server), current.dialect != server.dialect else {
        throw error
      }
      server = current
      let client = try await connections.client(for: server, with: stored)
      return try await question(client.until(deadline), server)
    }
  }

  /// Queries all servers, and returns their answers in the order of arrival.
  ///
  /// - Throws: If the task was cancelled, because an interrupted answer says nothing about its
  ///   server.
  package func answers<Value: Sendable>(
    within limit: Duration? = nil,
    _ question: @escaping Question<Value>
  ) async throws(CancellationError) -> [Answer<Value>] {
    var answers: [Answer<Value>] = []
    await ask(within: limit, question) { answers.append($0) }
    guard !Task.isCancelled else { throw CancellationError() }
    return answers
  }
}

// MARK: - Failures

extension Fleet.Answer {
  /// Why the server could not be queried; `nil` if it answered.
  package var error: OppiError? {
    if case .failure(let error) = result { error } else { nil }
  }

  /// The answer; `nil` if the server could not be queried.
  package var value: Value? {
    if case .success(let value) = result { value } else { nil }
  }
}

extension Array {
  /// The servers that could not be queried, by name.
  package func failures<Value>() -> [ServerFailure] where Element == Fleet.Answer<Value> {
    sorted { $0.server.name < $1.server.name }.compactMap { answer in
      answer.error.map { (answer.server, $0) }
    }
  }
}

extension [OppiError] {
  /// The errors without repetitions, in the same order.
  package var distinct: [OppiError] {
    reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

/// The errors of a query to several servers: warnings if any server answered; otherwise the first
/// error fails the command.
package struct FleetFailures {
  /// Sorted by server name; an error that several servers share occurs once.
  package let errors: [OppiError]
  package let hasAnswer: Bool

  /// `reason` returns why an answer counts as failed; `nil` if it does not.
  package init<Value>(
    _ answers: [Fleet.Answer<Value>],
    reason: (Fleet.Answer<Value>) -> OppiError? = { $0.error }
  ) {
    let reasons = answers.sorted { $0.server.name < $1.server.name }.compactMap(reason)
    errors = reasons.distinct
    hasAnswer = reasons.count < answers.count
  }

  /// The error of the command; `nil` if a server answered.
  package var failure: OppiError? { hasAnswer ? nil : errors.first }

  /// The warnings and hints for the other errors.
  package var notes: [Report.Note] {
    errors.dropFirst(hasAnswer ? 0 : 1).flatMap { error in
      [.warning(error.message)] + error.hints.map(Report.Note.hint)
    }
  }
}

extension JSONMember {
  package static func errors(_ failures: @escaping @Sendable (Value) -> FleetFailures) -> JSONMember
  {
    .texts("errors", "Errors of servers that could not be queried") {
      failures($0).errors.map(\.message)
    }
  }
}

extension Services {
  /// A fleet that queries these servers concurrently, each within ``answerLimit`` by default.
  package func fleet(of servers: [PairedServer], within limit: Duration? = nil) -> Fleet {
    Fleet(servers, connections: connections, within: limit ?? answerLimit, redetect: redetect)
  }
}

extension [PairedServer] {
  /// Finds a server by fingerprint, label or unique label prefix; labels match without regard to
  /// case.
  package func named(_ word: String) throws(OppiError) -> PairedServer {
    guard !isEmpty else { throw .notPaired }
    let matches = matches(word)
    guard matches.count == 1 else { throw .unknownServer(name: word, known: map(\.name)) }
    return matches[0]
  }

  /// All servers that the first rule with a match names.
  package func matches(_ word: String) -> [PairedServer] {
    let folded = word.lowercased()
    let rules: [(PairedServer) -> Bool] = [
      // The fingerprint has priority over a label that looks like one.
      { $0.id.text == word },
      { $0.name == word },
      { $0.name.lowercased() == folded },
      { !folded.isEmpty && $0.name.lowercased().hasPrefix(folded) },
    ]
    return rules.lazy.map { filter($0) }.first { !$0.isEmpty } ?? []
  }
}
