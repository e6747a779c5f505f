// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel

extension IntentAPIClient {
  /// `GET /policy/fallback` and `GET /policy/rules`; `nil` on servers without a gate.
  func policy(
    until deadline: EventLoop.Instant
  ) async throws(IntentError) -> ServerPolicy? {
    guard dialect?.requests != .dialogs else { return nil }
    do throws(IntentError) {
      let fallback = try await get("/policy/fallback", limit: .entry, until: deadline) { json in
        ServerPolicy.fallback(json: json)
      }
      guard let fallback else { throw malformed("policy") }
      let rules = try await list("rules", at: "/policy/rules", until: deadline) {
        ServerPolicy.Rule(json: $0)
      }
      return ServerPolicy(fallback: fallback, rules: rules)
    } catch {
      guard error.isMissingRoute else { throw error }
      return nil
    }
  }

  /// `DELETE /policy/rules/:id`; a rule that is already gone is no error.
  func deletePolicyRule(
    _ id: String,
    until deadline: EventLoop.Instant
  ) async throws(IntentError) {
    do throws(IntentError) {
      _ = try await call("DELETE", "/policy/rules/\(id)", until: deadline)
    } catch .refused(404, _, _) {
      // The list of rules tells whether it is gone.
    }
  }
}
