// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel

/// Several servers that are asked the same at the same time.
///
/// Each has the same deadline and answers or fails for itself; nobody waits for another.
package struct Fleet: Sendable {
  /// How long one server may take.
  package static let limit = Duration.seconds(5)

  /// What one server said.
  package struct Answer<Value: Sendable>: Sendable {
    package var server: PairedServer
    package var result: Result<Value, IntentError>
    /// How long that took.
    package var elapsed: Duration
  }

  /// A question to one server.
  package typealias Question<Value: Sendable> =
    @Sendable (IntentAPIClient, PairedServer, _ deadline: EventLoop.Instant)
    async throws(IntentError) -> Value

  package let servers: [PairedServer]
  let connections: Connections
  private let limit: Duration

  /// Makes a fleet of which no server may take longer than a limit, unless it is said otherwise.
  package init(
    _ servers: [PairedServer],
    connections: Connections,
    within limit: Duration = limit
  ) {
    self.servers = servers
    self.connections = connections
    self.limit = limit
  }

  /// The same questions to one of the servers only.
  func only(_ server: PairedServer) -> Fleet {
    Fleet([server], connections: connections, within: limit)
  }

  /// Asks all servers and hands each answer out as it comes.
  ///
  /// - Parameters:
  ///   - limit: How long one server may take; as long as always where `nil`.
  ///   - question: What each is asked.
  ///   - hear: Takes an answer; the others go on meanwhile.
  package func ask<Value: Sendable>(
    within limit: Duration? = nil,
    _ question: @escaping Question<Value>,
    hear: (Answer<Value>) async -> Void
  ) async {
    let begin = connections.loop.now
    let limit = limit ?? self.limit
    let tokens = connections.tokens()
    await withTaskGroup(of: Answer<Value>.self) { group in
      for server in servers {
        group.addTask { [connections] in
          let result: Result<Value, IntentError>
          do throws(IntentError) {
            let client = try await connections.client(for: server, with: tokens)
            result = .success(try await question(client, server, begin + limit))
          } catch {
            result = .failure(error)
          }
          let elapsed = begin.duration(to: connections.loop.now)
          return Answer(server: server, result: result, elapsed: elapsed)
        }
      }
      for await answer in group { await hear(answer) }
    }
  }

  /// Asks all servers and returns their answers, in the order in which they came.
  ///
  /// - Throws: If the task was cancelled: an answer that was cut short tells nothing of its server.
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
  /// Why the server could not be asked; `nil` if it answered.
  package var failure: IntentError? {
    if case .failure(let error) = result { error } else { nil }
  }
}

extension Array {
  /// Why servers could not be asked, by the servers' names.
  package func failures<Value>() -> [IntentError] where Element == Fleet.Answer<Value> {
    sorted { $0.server.name < $1.server.name }.compactMap(\.failure)
  }
}
