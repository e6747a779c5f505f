// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

@Suite struct PromptDeliveryTests {
  /// A test case: the input steps, the messages sent, and the verdict.
  struct Story: CustomTestStringConvertible, Sendable {
    enum Step: Sendable {
      case event(PromptDelivery.Event)
      case message(ServerMessage)
      /// Advances the clock, then wakes the delivery.
      case time(Duration)
    }

    var rule: String
    var isNew = true
    var thinking: ThinkingLevel?
    var whenBusy = PromptDelivery.WhenBusy.queue
    var waits = false
    var steps: [Step]
    var sent = ["subscribe", "prompt"]
    var verdict: PromptDelivery.Verdict?
    /// The actions of the delivery other than `send` and `settle`.
    var wishes: [PromptDelivery.Action] = []

    var testDescription: String { rule }
  }

  private static func play(_ story: Story) -> DeliveryRun {
    var run = DeliveryRun(
      .doIt(
        isNew: story.isNew,
        thinking: story.thinking,
        whenBusy: story.whenBusy,
        waits: story.waits
      )
    )
    for step in story.steps {
      switch step {
      case .event(let event): run.handle(event)
      case .message(let message): run.handle(.received(message))
      case .time(let time): run.pass(time)
      }
    }
    return run
  }

  static func prompt(_ name: String, stream: Int = 1, turn: String = "T") -> String {
    "\(turn).\(stream).\(name)"
  }

  static let opened: Story.Step = .event(.opened(.multiplexed))
  static let openedOld: Story.Step = .event(.opened(.perSession))
  static let taken: [Story.Step] = [
    .message(.connected("ready")), .message(.acknowledged("T", "dispatched")),
  ]

  static let sending: [Story] = [
    Story(
      rule: "the prompt of a new session is sent with the subscription",
      steps: [opened]
    ),
    Story(
      rule: "an older server's stream is the subscription",
      steps: [openedOld],
      sent: ["prompt"]
    ),
    Story(
      rule: "the level medium is sent in the same write, without a round trip",
      thinking: .medium,
      steps: [opened],
      sent: ["subscribe", "set_thinking_level", "prompt"]
    ),
    Story(
      rule: "another level is confirmed before the prompt is sent",
      thinking: .high,
      steps: [opened, .message(.connected("ready"))],
      sent: ["subscribe", "set_thinking_level"]
    ),
    Story(
      rule: "an explicit medium is sent to an existing session, too",
      isNew: false,
      thinking: .medium,
      steps: [
        opened, .message(.connected("ready")),
        .message(.result(prompt("level"), data: ["level": "medium"])),
      ],
      sent: ["subscribe", "set_thinking_level", "prompt"]
    ),
    Story(
      rule: "a busy session gets a follow-up",
      isNew: false,
      steps: [opened, .message(.connected("busy"))],
      sent: ["subscribe", "follow_up"]
    ),
    Story(
      rule: "a busy session gets a steering message on request",
      isNew: false,
      whenBusy: .steer,
      steps: [opened, .message(.connected("busy"))],
      sent: ["subscribe", "steer"]
    ),
    Story(
      rule: "the first state of an older server may be stale; the second state counts",
      isNew: false,
      steps: [openedOld, .message(.connected("busy")), .message(.state("ready"))],
      sent: ["prompt"]
    ),
    Story(
      rule: "a prompt waits for a session that is being stopped",
      isNew: false,
      steps: [opened, .message(.connected("stopping")), .message(.state("ready"))]
    ),
    Story(
      rule: "a turn that begins while the level is set gets a follow-up",
      isNew: false,
      thinking: .high,
      steps: [
        opened, .message(.connected("ready")), .message(.state("busy")),
        .message(.result(prompt("level"), data: ["level": "high"])),
      ],
      sent: ["subscribe", "set_thinking_level", "follow_up"]
    ),
    Story(
      rule: "a late follow-up is sent as a prompt with another id",
      isNew: false,
      steps: [
        opened, .message(.connected("busy")),
        .message(.result(prompt("prompt"), failure: "Follow-up requires an active streaming turn")),
      ],
      sent: ["subscribe", "follow_up", "prompt"]
    ),
  ]

  @Test("a prompt is sent in the form that fits the state of the session", arguments: sending)
  func sends(story: Story) { check(story) }

  @Test("the verdict follows the server's messages", arguments: fates)
  func fate(story: Story) { check(story) }

  @Test("a lost connection is followed by a check", arguments: secondLooks)
  func secondLook(story: Story) { check(story) }

  private func check(_ story: Story) {
    let run = Self.play(story)
    #expect(run.sent.map(\.type) == story.sent)
    #expect(run.delivery.verdict == story.verdict)
    #expect(run.others == story.wishes)
  }

  @Test("a repeat has the same id and text, and another kind of message a new id")
  func ids() throws {
    let repeated = Self.play(Self.secondLooks[0]).sent.compactMap(\.turn)
    #expect(repeated.map(\.clientTurnID) == ["T", "T"])
    #expect(Set(repeated.map(\.text)) == ["do it"])
    let changed = Self.play(try #require(Self.sending.last)).sent.compactMap(\.turn)
    #expect(Set(changed.map(\.clientTurnID)).count == 2)
  }

  @Test("the anchor of a turn is the counter at the time when its prompt is sent")
  func anchor() throws {
    let story = try #require(Self.fates.first { $0.rule.contains("previous turn") })
    #expect(Self.play(story).delivery.anchor == 5)
  }

  @Test("the model and the thinking level are those that the server reports")
  func place() {
    let place = Self.play(Self.sending[4]).delivery.place
    #expect(place.model == "some/model" && place.thinking == "medium")
  }
}

extension ClientMessage {
  fileprivate var turn: Prompt? {
    switch self {
    case .prompt(let turn, _), .followUp(let turn), .steer(let turn): turn
    default: nil
    }
  }
}
