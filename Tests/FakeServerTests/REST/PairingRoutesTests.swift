// SPDX-License-Identifier: MIT

import EventLoop
import TestSupport
import Testing

@testable import FakeServer

@Suite("PairingRoutes")
struct PairingRoutesTests {
  private let kernel = ManualKernel()
  private let desk: PairingRoutes

  init() {
    desk = PairingRoutes(tokens: ["sk_owner"], loop: EventLoop(on: kernel))
  }

  private func redeem(_ token: String, after seconds: Int = 0) -> PairingRoutes.Outcome {
    kernel.advance(by: .seconds(seconds))
    return desk.redeem(token)
  }

  @Test("an invite can be redeemed once, for a valid token")
  func once() throws {
    let invite = desk.makeInvite(lifetime: .seconds(90))
    guard case .paired(let token) = redeem(invite) else {
      Issue.record("not paired")
      return
    }
    #expect(token.hasPrefix("dt_"))
    #expect(desk.accepts(token))
    #expect(redeem(invite) == .refused)
  }

  @Test("the owner's token is accepted, and an invite is not")
  func tokens() {
    #expect(desk.accepts("sk_owner"))
    #expect(!desk.accepts(desk.makeInvite(lifetime: .seconds(90))))
  }

  @Test("an invite expires at the end of its lifetime")
  func lifetime() {
    let invite = desk.makeInvite(lifetime: .seconds(90))
    #expect(redeem(invite, after: 90) == .refused)
  }

  @Test("a newer invite invalidates the previous one")
  func superseded() {
    let first = desk.makeInvite(lifetime: .seconds(90))
    let second = desk.makeInvite(lifetime: .seconds(90))
    #expect(redeem(first) == .refused)
    #expect(redeem(second) != .refused)
  }

  @Test("five refusals within a minute block all invites for two minutes")
  func block() {
    for _ in 0..<5 { #expect(redeem("pt_wrong", after: 1) == .refused) }
    let invite = desk.makeInvite(lifetime: .seconds(600))
    #expect(redeem(invite) == .blocked)
    #expect(redeem(invite, after: 119) == .blocked)
    #expect(redeem(invite, after: 1) != .blocked)
  }

  @Test("fewer than five refusals per minute do not block")
  func window() {
    for _ in 0..<10 { #expect(redeem("pt_wrong", after: 20) == .refused) }
  }
}
