// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem

/// Searches the conversations of all servers for a text.
struct ConsoleSearch: Sendable {
  struct Hit: Sendable {
    let session: BoardSession
    /// The text around the match, on one line and safe to show.
    let snippet: String
  }

  private static let limit = 50

  private let servers: [PairedServer]
  private let context: IntentContext

  init(_ servers: [PairedServer], in context: IntentContext) {
    (self.servers, self.context) = (servers, context)
  }

  /// The sessions that contain a text, the best match first, and the servers that did not search.
  ///
  /// - Throws: `CancellationError`.
  func hits(
    for text: String
  ) async throws(CancellationError) -> (hits: [Hit], silent: [String]) {
    let answers = try await context.fleet(of: servers).answers {
      (client, _, deadline) throws(IntentError) in
      try await client.search(text, workspaceID: nil, limit: Self.limit, until: deadline)
    }
    var (ranked, silent): ([(hit: Hit, rank: Double)], [String]) = ([], [])
    for answer in answers {
      guard case .success(let results?) = answer.result else {
        silent.append(answer.server.name)
        continue
      }
      ranked += results.map { (hit($0, on: answer.server), $0.rank) }
    }
    return (ranked.sorted { $0.rank < $1.rank }.map(\.hit), silent.sorted())
  }

  private func hit(_ result: SearchResult, on server: PairedServer) -> Hit {
    let status = SessionStatus(
      result.session,
      clockOffset: .zero,
      approvals: [],
      turn: nil,
      question: nil
    )
    return Hit(
      session: BoardSession(serverID: server.id, server: server.name, status: status),
      snippet: result.snippet.map(\.text).joined()
    )
  }
}
