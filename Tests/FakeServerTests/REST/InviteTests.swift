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

  private func spend(_ token: String, after seconds: Int = 0) -> Invites.Spending {
    kernel.advance(by: .seconds(seconds))
    return invites.spend(token)
  }

  @Test("an invite expires at the end of its lifetime")
  func lifetime() {
    let invite = invites.make(lifetime: .seconds(90))
    #expect(spend(invite, after: 90) == .refused)
  }

  @Test("five refusals within a minute block all invites for two minutes")
  func block() {
    for _ in 0..<5 { #expect(spend("pt_wrong", after: 1) == .refused) }
    let invite = invites.make(lifetime: .seconds(600))
    #expect(spend(invite) == .blocked)
    #expect(spend(invite, after: 119) == .blocked)
    #expect(spend(invite, after: 1) != .blocked)
  }

  @Test("fewer than five refusals per minute do not block")
  func window() {
    for _ in 0..<10 { #expect(spend("pt_wrong", after: 20) == .refused) }
  }
}
