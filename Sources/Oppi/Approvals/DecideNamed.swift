// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem

/// Replies to requests that a user names, or that were shown earlier.
struct DecideNamed: Sendable {
  struct Result: Sendable {
    /// `nil` if no request was found.
    var row: ListedRequest?
    /// As the user typed it.
    var name: String
    var outcome: Swift.Result<DecisionOutcome, any Error>
  }

  private let reply: RequestReply
  /// Whether an option or a setting replies, not the user.
  private let isAutomatic: Bool
  private let context: IntentContext

  init(_ reply: RequestReply, isAutomatic: Bool = false, in context: IntentContext) {
    (self.reply, self.isAutomatic, self.context) = (reply, isAutomatic, context)
  }

  init(_ decision: PermissionDecision, in context: IntentContext) {
    self.init(.decision(decision), in: context)
  }

  /// Replies to pending requests one after the other; continues after a failure.
  ///
  /// Two names of one request reply to it once. After the first reply the list is no longer new, so
  /// that a positive reply needs the request to be unchanged.
  func decide(on names: [String], in queue: ApprovalQueue) async -> [Result] {
    var results: [Result] = []
    var decided: Set<BoardRequest.ID> = []
    for name in names {
      do {
        let row = try queue.request(named: name)
        guard decided.insert(row.id).inserted else { continue }
        try Task.checkCancellation()
        let mayHaveChanged = decided.count > 1 && !reply.isRefusal
        let outcome = await bring(to: row.server, within: context.timeout) {
          mayHaveChanged
            ? try await $0.send(asShown: row.request, on: row.server)
            : try await $0.send(to: row.request, on: row.server)
        }
        results.append(Result(row: row, name: name, outcome: outcome))
      } catch {
        results.append(Result(row: nil, name: name, outcome: .failure(error)))
      }
    }
    return results
  }

  /// Replies to a request that was shown earlier, if it is still pending and unchanged.
  func decide(asShown row: ListedRequest) async -> Result {
    let outcome = await bring(to: row.server, within: context.timeout) {
      try await $0.send(asShown: row.request, on: row.server)
    }
    return Result(row: row, name: row.request.id, outcome: outcome)
  }

  /// Replies to a request that a notification showed, as ``decide(asShown:)`` does.
  func decide(
    asShown request: HumanRequest,
    of serverID: Fingerprint
  ) async -> Swift.Result<DecisionOutcome, any Error> {
    do {
      let paired = try context.serverStore.load().servers
      guard let server = paired.first(where: { $0.id == serverID }) else {
        throw ApprovalError.serverNotPaired
      }
      return await bring(to: server, within: nil) {
        try await $0.send(asShown: request, on: server)
      }
    } catch {
      return .failure(error)
    }
  }

  private func bring(
    to server: PairedServer,
    within limit: Duration?,
    _ body: (ReplyToRequest) async throws -> DecisionOutcome
  ) async -> Swift.Result<DecisionOutcome, any Error> {
    do {
      let api = try await context.connections.client(for: server).limited(to: limit)
      return .success(try await body(ReplyToRequest(reply, api: isAutomatic ? api.onItsOwn : api)))
    } catch {
      return .failure(error)
    }
  }
}
