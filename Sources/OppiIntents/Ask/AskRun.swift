// SPDX-License-Identifier: MIT

import EventLoop
package import OppiModel
import OppiSystem
import OppiTransport

/// One prompt's way from its command: it is delivered, and its turn can be watched from there.
package struct AskRun: Sendable {
  /// A prompt that the server has.
  package struct Handover: Sendable {
    package var outcome: AskOutcome
    /// The watch over the prompt's turn, ready to run; `nil` unless the turn is waited for.
    package var watch: TurnWatch?
  }

  private let request: AskRequest
  private let waiting: OnAsk?
  private let context: IntentContext

  /// - Parameters:
  ///   - request: The prompt and where it goes.
  ///   - waiting: What happens when the turn asks for input; `nil` if the turn is not waited for.
  ///   - context: The world; its timeout covers the turn that is waited for, too.
  package init(_ request: AskRequest, waiting: OnAsk?, in context: IntentContext) {
    self.request = request
    self.waiting = waiting
    self.context = context
  }

  /// Delivers the prompt.
  package func handOver() async throws(AskFailure) -> Handover {
    let begin = context.loop.now
    let api = try await client()
    let limits = context.askLimits(waitsForTurn: waiting != nil)
    let delivery = try await AskPi(api: api, models: context.modelCatalog, limits: limits)
      .perform(request, waitingForTurn: waiting != nil)
    return Handover(
      outcome: delivery.outcome,
      watch: delivery.stream.map { watch(delivery.outcome, api, $0, since: begin) }
    )
  }

  private func client() async throws(AskFailure) -> IntentAPIClient {
    do {
      return try await context.connections.client(for: request.target.server)
    } catch {
      throw AskFailure(notSent: request, because: error)
    }
  }

  private func watch(
    _ outcome: AskOutcome,
    _ api: IntentAPIClient,
    _ stream: OpenStream,
    since begin: EventLoop.Instant
  ) -> TurnWatch {
    var server = request.target.server
    server.dialect = outcome.dialect
    let session = ServerSession(
      server: server,
      id: outcome.sessionID,
      workspaceID: outcome.workspaceID,
      workspaceName: outcome.workspaceName
    )
    var watch = TurnWatch(
      session: session,
      api: api,
      turnOf: outcome,
      prompt: request.prompt.text,
      adopting: stream
    )
    watch.deadline = context.timeout.map { begin + $0 }
    watch.onAsk = waiting ?? .wait
    return watch
  }
}
