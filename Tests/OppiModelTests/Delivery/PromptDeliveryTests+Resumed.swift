// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiWire

/// A prompt that an earlier process sent.
extension PromptDeliveryTests {
  private static let order = PromptDelivery.Order(
    sessionID: "S",
    isNewSession: true,
    prompt: Prompt("do it", clientTurnID: "T")
  )

  private static func departure(
    _ dialect: Dialect.Stream = .multiplexed
  ) -> PromptDelivery.SendRecord {
    .init(clientTurnID: "T", kind: .prompt, anchor: 3, messageCount: 2, stream: dialect)
  }

  private static func resumed(leftBefore time: Duration) -> PromptDelivery {
    .resumed(order, after: departure(), at: .zero - time)
  }

  /// A resumed delivery whose server was queried, and its actions after that.
  private static func looked(
    leftBefore time: Duration,
    _ status: Session.Status = .ready
  ) -> (PromptDelivery, [PromptDelivery.Action]) {
    var delivery = resumed(leftBefore: time)
    _ = delivery.handle(.opened(.multiplexed), at: .zero)
    let check = PromptDelivery.ServerCheck(uptime: .seconds(61), status: status)
    let actions = delivery.handle(.looked(check), at: .zero)
    return (delivery, actions)
  }

  @Test("the departure is known when the prompt is about to be sent, and not before")
  func departure() {
    var delivery = PromptDelivery(Self.order)
    #expect(delivery.departure == nil)
    _ = delivery.handle(.opened(.multiplexed), at: .seconds(2))
    let left = delivery.departure
    #expect(
      left?.departure
        == .init(
          clientTurnID: "T",
          kind: .prompt,
          anchor: 0,
          messageCount: 0,
          stream: .multiplexed
        )
    )
    #expect(left?.at == .seconds(2))
  }

  @Test("a prompt sent by an earlier process is looked up first")
  func asks() {
    var delivery = Self.resumed(leftBefore: .seconds(60))
    #expect(delivery.handle(.opened(.multiplexed), at: .zero) == [.look(since: nil)])
    let check = PromptDelivery.ServerCheck(uptime: .seconds(59), status: .ready)
    #expect(
      delivery.handle(.looked(check), at: .zero) == [.close, .settle(.unknown(.agentGone))],
      "the server was restarted"
    )
  }

  @Test(
    "a server that was not restarted gets a new subscription, then the prompt with the same id"
  )
  func repeats() {
    var (delivery, actions) = Self.looked(leftBefore: .seconds(60))
    #expect(actions.count == 1)
    guard case .send(let requests)? = actions.first else { return }
    #expect(requests.map(\.message) == [.subscribe(since: 3)])
    _ = delivery.handle(.connected("ready", sequence: 3, messageCount: 2), at: .zero)
    let again = delivery.handle(.result("T.1.subscribe"), at: .zero)
    guard case .send(let repeated)? = again.first else {
      Issue.record("\(again)")
      return
    }
    #expect(repeated.map(\.message) == [.prompt(Prompt("do it", clientTurnID: "T"))])
    #expect(delivery.wasRepeated)
  }

  @Test("a full server leaves the outcome unknown")
  func full() {
    var (delivery, _) = Self.looked(leftBefore: .seconds(1), .starting)
    let refusal = ServerMessage.result(
      "T.1.subscribe",
      failure: "Workspace session limit reached (20)"
    )
    #expect(delivery.handle(.received(refusal), at: .zero) == [.settle(.unknown(.lost))])
  }

  @Test("a repeat whose departure could not be written leaves the first attempt unknown")
  func notSentAgain() {
    var (delivery, _) = Self.looked(leftBefore: .seconds(60))
    for message in [
      ServerMessage.connected("ready", sequence: 3, messageCount: 2),
      .result("T.1.subscribe"),
    ] {
      _ = delivery.handle(.received(message), at: .zero)
    }
    #expect(delivery.wasRepeated)
    #expect(delivery.handle(.notSent, at: .zero) == [.settle(.unknown(.lost))])
  }

  @Test("a prompt whose departure could not be written is not sent")
  func notSent() {
    var delivery = PromptDelivery(Self.order)
    _ = delivery.handle(.opened(.multiplexed), at: .zero)
    #expect(delivery.handle(.notSent, at: .zero) == [.settle(.notSent)])
  }
}
