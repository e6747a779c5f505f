// SPDX-License-Identifier: MIT

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

extension PromptDeliveryTests {
  private static let check = PromptDelivery.ServerCheck(uptime: .seconds(99), status: .ready)
  private static let back: [Story.Step] = [.lost, opened, .looked(check)]
  /// A prompt that was lost, with the events since then.
  private static let again: [Story.Step] =
    [opened] + back + [.connected("ready"), .result("T.2.subscribe")]
  /// Another stream was opened, and the server queried.
  private static let checked: [PromptDelivery.Action] = [.open, .look(since: nil)]

  /// A prompt that was sent to an older server's session.
  private static let askedOld: [Story.Step] = [
    openedOld, .connected("ready", sequence: 4), .state("ready", messageCount: 2),
  ]

  static let secondLooks: [Story] = [
    Story(
      "a prompt that did not arrive is sent again with the same id",
      again,
      sent: "subscribe prompt subscribe prompt",
      wishes: checked
    ),
    Story(
      "a refused repeat does not determine the result of the first attempt",
      again + [.result("T.2.prompt", failure: "clientTurnId conflict")],
      sent: "subscribe prompt subscribe prompt",
      verdict: .unknown(.agentGone),
      wishes: checked
    ),
    Story(
      "an early server's answer that it knows a repeat does not show the delivery",
      again + [.acknowledged("T", "dispatched", isDuplicate: true), .time(.seconds(1))],
      sent: "subscribe prompt subscribe prompt",
      verdict: .unknown(.silence),
      wishes: checked
    ),
    Story(
      "what an early server knows of a repeat is not shown by another prompt's text either",
      again + [
        .acknowledged("T", "dispatched", isDuplicate: true), .user("another", 2),
        .time(.seconds(1)),
      ],
      sent: "subscribe prompt subscribe prompt",
      verdict: .unknown(.silence),
      wishes: checked
    ),
    Story(
      "an early server's answer that it knows a repeat shows nothing without the stream either",
      again + [.acknowledged("T", "dispatched", isDuplicate: true), .lost],
      sent: "subscribe prompt subscribe prompt",
      verdict: .unknown(.lost),
      wishes: checked
    ),
    Story(
      "a prompt is not sent again if events may be missing",
      [opened] + back + [
        .connected("ready"), .result("T.2.subscribe", data: ["catchUpComplete": false]),
      ],
      sent: "subscribe prompt subscribe",
      verdict: .unknown(.agentGone),
      wishes: checked
    ),
    Story(
      "an error that belongs to no turn is no refusal of a prompt that arrived",
      [opened] + back + [
        .connected("ready", sequence: 1, messageCount: 1),
        .error("Permission request not found: x"), .result("T.2.subscribe"),
      ],
      sent: "subscribe prompt subscribe",
      verdict: .delivered(.accepted),
      wishes: checked
    ),
    Story(
      "a prompt that arrived is found in the events",
      [opened] + back + [.connected("busy", sequence: 2, messageCount: 1), .agentStart(1)],
      sent: "subscribe prompt subscribe",
      verdict: .delivered(.started),
      wishes: checked
    ),
    Story(
      "a refusal of a prompt that arrived is found in the events",
      [opened] + back + [
        .connected("ready", sequence: 1, messageCount: 1), .error("No API key", sequence: 1),
        .result("T.2.subscribe"), .deleted,
      ],
      sent: "subscribe prompt subscribe",
      verdict: .refused(.agentRefused("No API key")),
      wishes: checked + removed
    ),
    Story(
      "a prompt is unknown if the server was restarted",
      [
        opened, .time(.seconds(2)), .lost, opened,
        .looked(.init(uptime: .seconds(1), status: .ready)),
      ],
      verdict: .unknown(.agentGone),
      wishes: checked + [.close]
    ),
    Story(
      "a prompt in the trace of a restarted server was accepted",
      [
        opened, .time(.seconds(2)), .lost, opened,
        .looked(.init(uptime: .zero, status: .stopped, userTexts: ["do it"])),
      ],
      verdict: .delivered(.accepted),
      wishes: checked + [.close]
    ),
    Story(
      "a prompt is not sent again to an existing session with new messages",
      isNew: false,
      [opened, .connected("ready", sequence: 4, messageCount: 2)] + back + [
        .connected("ready", sequence: 8, messageCount: 4), .result("T.2.subscribe"),
      ],
      sent: "subscribe prompt subscribe",
      verdict: .unknown(.agentGone),
      wishes: checked
    ),
    Story(
      "a prompt is unknown if the agent's counter was reset",
      isNew: false,
      [opened, .connected("ready", sequence: 4, messageCount: 2)] + back + [
        .connected("ready", sequence: 0, messageCount: 2)
      ],
      sent: "subscribe prompt subscribe",
      verdict: .unknown(.agentGone),
      wishes: checked
    ),
    Story(
      "a pending follow-up is found in the queue",
      isNew: false,
      [opened, .connected("busy", sequence: 4)] + back + [
        .connected("busy", sequence: 4), .result("T.2.subscribe"), .queue(["other", "T"]),
      ],
      sent: "subscribe follow_up subscribe get_queue",
      verdict: .delivered(.queued),
      wishes: checked
    ),
    Story(
      "a follow-up that is not found is not sent again",
      isNew: false,
      [opened, .connected("busy", sequence: 4)] + back + [
        .connected("busy", sequence: 4), .result("T.2.subscribe"), .queue([]),
      ],
      sent: "subscribe follow_up subscribe get_queue",
      verdict: .unknown(.agentGone),
      wishes: checked
    ),
    Story(
      "an unreachable server is retried until the deadline",
      [
        opened, .time(.seconds(8)), .lost, .lost, .time(.milliseconds(100)), .lost,
        .time(.milliseconds(200)), .lost, .time(.seconds(5)),
      ],
      verdict: .unknown(.lost),
      wishes: [.open, .open, .open]
    ),
    Story(
      "an older server reports the result over REST",
      [
        openedOld, .lost, openedOld, .connected("starting"), .state("busy", messageCount: 1),
        .looked(.init(uptime: .seconds(99), status: .busy, events: [ServerMessage.agentStart(1)])),
      ],
      sent: "prompt",
      verdict: .delivered(.started),
      wishes: [.open, .look(since: 0)]
    ),
    Story(
      "a prompt is unknown if an older server has not kept the events",
      isNew: false,
      askedOld + [
        .lost, openedOld, .connected("ready", sequence: 4), .state("ready", messageCount: 2),
        .looked(check),
      ],
      sent: "prompt",
      verdict: .unknown(.agentGone),
      wishes: [.open, .look(since: 4)]
    ),
    Story(
      "a prompt is unknown if another agent of an older server counts the events",
      isNew: false,
      askedOld + [.lost, openedOld, .connected("ready", sequence: 3)],
      sent: "prompt",
      verdict: .unknown(.agentGone),
      wishes: [.open]
    ),
    Story(
      "a prompt is unknown if its session on an older server was stopped",
      [openedOld, .lost, openedOld, .connected("stopped")],
      sent: "prompt",
      verdict: .unknown(.agentGone),
      wishes: [.open]
    ),
    Story(
      "a prompt is unknown if the server refuses the client after it was sent",
      [opened, .shutOut],
      verdict: .unknown(.shutOut)
    ),
    Story(
      "a prompt is unknown if the server no longer accepts the token",
      [opened, .lost, .shutOut],
      verdict: .unknown(.shutOut),
      wishes: [.open]
    ),
  ]
}
