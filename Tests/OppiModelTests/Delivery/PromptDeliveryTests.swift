// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

@Suite struct PromptDeliveryTests {
  /// A test case: the input steps, the messages sent, and the verdict.
  struct Story: CustomTestStringConvertible, Sendable {
    enum Step: Sendable, FromServer {
      case event(PromptDelivery.Event)
      /// Advances the clock, then wakes the delivery.
      case time(Duration)

      static let lost = Step.event(.lost)
      static let shutOut = Step.event(.shutOut)
      static let deleted = Step.event(.deleted)

      static func looked(_ check: PromptDelivery.ServerCheck) -> Step { .event(.looked(check)) }

      static func message(_ json: JSONValue) -> Step { .event(.message(json)) }
    }

    var testDescription: String
    var isNew: Bool
    var thinking: ThinkingLevel?
    var whenBusy: ClientMessage.WhenBusy
    var waits: Bool
    var steps: [Step]
    /// The types of the messages.
    var sent: String
    var verdict: PromptDelivery.Verdict?
    /// The actions of the delivery other than `send` and `settle`.
    var wishes: [PromptDelivery.Action]

    /// By default a subscription and a prompt are sent.
    init(
      _ name: String,
      isNew: Bool = true,
      thinking: ThinkingLevel? = nil,
      whenBusy: ClientMessage.WhenBusy = .queue,
      waits: Bool = false,
      _ steps: [Step],
      sent: String = "subscribe prompt",
      verdict: PromptDelivery.Verdict? = nil,
      wishes: [PromptDelivery.Action] = []
    ) {
      testDescription = name
      (self.isNew, self.thinking, self.whenBusy, self.waits) = (isNew, thinking, whenBusy, waits)
      (self.steps, self.sent, self.verdict, self.wishes) = (steps, sent, verdict, wishes)
    }
  }

  private static func play(_ story: Story) -> (
    delivery: PromptDelivery, sent: [ClientMessage], wishes: [PromptDelivery.Action]
  ) {
    var limits = PromptDelivery.Limits()
    if story.waits { limits.total = nil }
    var prompt = Prompt("do it", clientTurnID: "T")
    prompt.thinking = story.thinking
    let order = PromptDelivery.Order(
      sessionID: "S",
      isNewSession: story.isNew,
      prompt: prompt,
      whenBusy: story.whenBusy,
      waitsForTurn: story.waits,
      limits: limits
    )
    var delivery = PromptDelivery(order)
    var sent: [ClientMessage] = []
    var wishes: [PromptDelivery.Action] = []
    var now = Duration.zero
    for step in story.steps {
      var event = PromptDelivery.Event.woke
      switch step {
      case .event(let other): event = other
      case .time(let duration): now += duration
      }
      for action in delivery.handle(event, at: now) {
        switch action {
        case .send(let requests): sent += requests.map(\.message)
        case .settle: break
        default: wishes.append(action)
        }
      }
    }
    return (delivery, sent, wishes)
  }

  static let opened: Story.Step = .event(.opened(.multiplexed))
  static let openedOld: Story.Step = .event(.opened(.perSession))
  static let taken: [Story.Step] = [.connected("ready"), .acknowledged("T", "dispatched")]
  static let accepted: [Story.Step] = [opened] + taken
  /// A session that was created for the prompt is deleted.
  static let removed: [PromptDelivery.Action] = [.close, .delete]

  static let sending: [Story] = [
    Story("the prompt of a new session is sent with the subscription", [opened]),
    Story("an older server's stream is the subscription", [openedOld], sent: "prompt"),
    Story(
      "the level medium is sent in the same write, without a round trip",
      thinking: .medium,
      [opened],
      sent: "subscribe set_thinking_level prompt"
    ),
    Story(
      "another level is confirmed before the prompt is sent",
      thinking: .high,
      [opened, .connected("ready")],
      sent: "subscribe set_thinking_level"
    ),
    Story(
      "an explicit medium is sent to an existing session, too",
      isNew: false,
      thinking: .medium,
      [opened, .connected("ready"), .result("T.1.level", data: ["level": "medium"])],
      sent: "subscribe set_thinking_level prompt"
    ),
    Story(
      "a busy session gets a follow-up",
      isNew: false,
      [opened, .connected("busy")],
      sent: "subscribe follow_up"
    ),
    Story(
      "a busy session gets a steering message on request",
      isNew: false,
      whenBusy: .steer,
      [opened, .connected("busy")],
      sent: "subscribe steer"
    ),
    Story(
      "the first state of an older server may be stale; the second state counts",
      isNew: false,
      [openedOld, .connected("busy"), .state("ready")],
      sent: "prompt"
    ),
    Story(
      "a prompt waits for a session that is being stopped",
      isNew: false,
      [opened, .connected("stopping"), .state("ready")]
    ),
    Story(
      "a turn that begins while the level is set gets a follow-up",
      isNew: false,
      thinking: .high,
      [opened, .connected("ready"), .state("busy"), .result("T.1.level", data: ["level": "high"])],
      sent: "subscribe set_thinking_level follow_up"
    ),
    Story(
      "a late follow-up is sent as a prompt with another id",
      isNew: false,
      [
        opened, .connected("busy"),
        .result("T.1.prompt", failure: "Follow-up requires an active streaming turn"),
      ],
      sent: "subscribe follow_up prompt"
    ),
  ]

  @Test("a prompt is sent in the form that fits the state of the session", arguments: sending)
  func sends(story: Story) { check(story) }

  @Test("the verdict follows the server's messages", arguments: fates)
  func fate(story: Story) { check(story) }

  @Test("a lost connection is followed by a check", arguments: secondLooks)
  func secondLook(story: Story) { check(story) }

  private func check(_ story: Story) {
    let (delivery, sent, wishes) = Self.play(story)
    #expect(sent.map(\.type).joined(separator: " ") == story.sent)
    #expect(delivery.verdict == story.verdict)
    #expect(wishes == story.wishes)
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
    let story = try #require(Self.fates.first { $0.testDescription.contains("previous turn") })
    #expect(Self.play(story).delivery.anchor == 5)
  }

  @Test("the model and the thinking level are those that the server reports")
  func place() {
    let (delivery, _, _) = Self.play(Self.sending[4])
    #expect(delivery.location.model == "some/model")
    #expect(delivery.location.thinking == "medium")
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
