// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport

/// Delivers one prompt, and hands over a watch on its turn.
struct AskRun: Sendable {
  struct Handover: Sendable {
    var outcome: AskOutcome
    /// The watch on the prompt's turn, not yet started; `nil` unless the turn is awaited.
    var watch: TurnWatch?
  }

  private let request: AskRequest
  private let waiting: OnAsk?
  private let context: IntentContext

  /// A `nil` `waiting` means that the turn is not awaited; the context's timeout includes the turn.
  init(_ request: AskRequest, waiting: OnAsk?, in context: IntentContext) {
    self.request = request
    self.waiting = waiting
    self.context = context
  }

  func handOver() async throws(AskFailure) -> Handover {
    let begin = context.loop.now
    let api = try await client()
    let costLimit: Dollars?
    do throws(IntentError) {
      costLimit = try await BudgetCheck(in: context).limit(for: request)
    } catch {
      throw AskFailure(notSent: request, because: error)
    }
    let limits = context.askLimits(waitsForTurn: waiting != nil)
    let delivery = try await AskPi(api: api, models: context.modelCatalog, limits: limits)
      .perform(request, waitingForTurn: waiting != nil)
    return Handover(
      outcome: delivery.outcome,
      watch: delivery.stream.map { stream in
        var watch = watch(delivery.outcome, api, stream, since: begin)
        watch.costLimit = costLimit
        return watch
      }
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
    var watch = TurnWatch(
      session: outcome.session(on: request.target.server),
      api: api,
      turnOf: outcome,
      prompt: request.prompt.text,
      isNewSession: request.target.isNewSession,
      adopting: stream
    )
    watch.deadline = context.timeout.map { begin + $0 }
    watch.onAsk = waiting ?? .wait
    return watch
  }
}
