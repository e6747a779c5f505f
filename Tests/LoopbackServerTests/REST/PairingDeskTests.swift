// SPDX-License-Identifier: MIT

import OppiTransport
import Testing

@testable import LoopbackServer

@Suite("PairingDesk")
struct PairingDeskTests {
  private let desk = PairingDesk(tokens: ["sk_owner"])
  private let start = EventLoop.Instant.now

  private func redeem(_ token: String, after seconds: Int = 0) -> PairingDesk.Outcome {
    desk.redeem(token, now: start + .seconds(seconds))
  }

  @Test("an invite gives a token that opens the server, once")
  func once() throws {
    let invite = desk.makeInvite(lifetime: .seconds(90), now: start)
    guard case .paired(let token) = redeem(invite) else {
      Issue.record("not paired")
      return
    }
    #expect(token.hasPrefix("dt_"))
    #expect(desk.accepts(token))
    #expect(redeem(invite) == .refused)
  }

  @Test("the owner's token opens the server, and an invite does not")
  func tokens() {
    #expect(desk.accepts("sk_owner"))
    #expect(!desk.accepts(desk.makeInvite(lifetime: .seconds(90))))
  }

  @Test("an invite ends with its lifetime")
  func lifetime() {
    let invite = desk.makeInvite(lifetime: .seconds(90), now: start)
    #expect(redeem(invite, after: 90) == .refused)
  }

  @Test("a newer invite invalidates the one before")
  func superseded() {
    let first = desk.makeInvite(lifetime: .seconds(90), now: start)
    let second = desk.makeInvite(lifetime: .seconds(90), now: start)
    #expect(redeem(first) == .refused)
    #expect(redeem(second) != .refused)
  }

  @Test("five refusals inside a minute block even a good invite for two minutes")
  func block() {
    for second in 0..<5 { #expect(redeem("pt_wrong", after: second) == .refused) }
    let invite = desk.makeInvite(lifetime: .seconds(600), now: start)
    #expect(redeem(invite, after: 5) == .blocked)
    #expect(redeem(invite, after: 123) == .blocked)
    #expect(redeem(invite, after: 124) != .blocked)
  }

  @Test("refusals more than a minute apart do not add up")
  func window() {
    for attempt in 0..<10 { #expect(redeem("pt_wrong", after: attempt * 20) == .refused) }
  }
}
