// SPDX-License-Identifier: MIT

import EventLoop
import TestSupport
import Testing

@testable import FakeServer
@testable import OppiHost

@Suite("Invites")
struct InviteTests {
  private let kernel = ManualKernel()
  private let invites: Invites

  init() {
    invites = Invites(loop: EventLoop(on: kernel))
  }

  private static let blocked = 429

  /// Returns the status of the refusal; `nil` if the token is accepted.
  private func spend(_ token: String, after seconds: Int = 0) -> Int? {
    kernel.advance(by: .seconds(seconds))
    do throws(Refusal) {
      try invites.spend(token)
      return nil
    } catch {
      return error.status
    }
  }

  @Test("an invite expires at the end of its lifetime")
  func lifetime() {
    let invite = invites.make(lifetime: .seconds(90))
    #expect(spend(invite, after: 90) == Invites.refusal.status)
  }

  @Test("five refusals within a minute block all invites for two minutes")
  func block() {
    for _ in 0..<5 { #expect(spend("pt_wrong", after: 1) == Invites.refusal.status) }
    let invite = invites.make(lifetime: .seconds(600))
    #expect(spend(invite) == Self.blocked)
    #expect(spend(invite, after: 119) == Self.blocked)
    #expect(spend(invite, after: 1) != Self.blocked)
  }

  @Test("fewer than five refusals per minute do not block")
  func window() {
    for _ in 0..<10 { #expect(spend("pt_wrong", after: 20) == Invites.refusal.status) }
  }
}
