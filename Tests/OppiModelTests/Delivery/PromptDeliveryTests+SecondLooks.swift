// SPDX-License-Identifier: MIT

@testable import OppiModel

extension PromptDeliveryTests {
  private static let check = PromptDelivery.ServerCheck(uptime: .seconds(99), status: .ready)
  private static let back: [Story.Step] = [.event(.lost), opened, .event(.looked(check))]

  /// A prompt that was sent to an older server's session.
  private static let askedOld: [Story.Step] = [
    openedOld, .message(.connected("ready", sequence: 4)),
    .message(.state("ready", messageCount: 2)),
  ]

  static let secondLooks: [Story] = [
    Story(
      rule: "a prompt that did not arrive is sent again with the same id",
      steps: [opened] + back + [
        .message(.connected("ready")), .message(.result(prompt("subscribe", stream: 2))),
      ],
      sent: ["subscribe", "prompt", "subscribe", "prompt"],
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      rule: "a refused repeat does not determine the result of the first attempt",
      steps: [opened] + back + [
        .message(.connected("ready")), .message(.result(prompt("subscribe", stream: 2))),
        .message(.result(prompt("prompt", stream: 2), failure: "clientTurnId conflict")),
      ],
      sent: ["subscribe", "prompt", "subscribe", "prompt"],
      verdict: .unknown(.agentGone),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      rule: "an early server's answer that it knows a repeat does not show the delivery",
      steps: [opened] + back + [
        .message(.connected("ready")), .message(.result(prompt("subscribe", stream: 2))),
        .message(.acknowledged("T", "dispatched", isDuplicate: true)), .time(.seconds(1)),
      ],
      sent: ["subscribe", "prompt", "subscribe", "prompt"],
      verdict: .unknown(.silence),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      rule: "what an early server knows of a repeat is not shown by another prompt's text either",
      steps: [opened] + back + [
        .message(.connected("ready")), .message(.result(prompt("subscribe", stream: 2))),
        .message(.acknowledged("T", "dispatched", isDuplicate: true)),
        .message(.user("another", 2)), .time(.seconds(1)),
      ],
      sent: ["subscribe", "prompt", "subscribe", "prompt"],
      verdict: .unknown(.silence),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      rule: "an early server's answer that it knows a repeat shows nothing after a loss either",
      steps: [opened] + back + [
        .message(.connected("ready")), .message(.result(prompt("subscribe", stream: 2))),
        .message(.acknowledged("T", "dispatched", isDuplicate: true)), .event(.lost),
      ],
      sent: ["subscribe", "prompt", "subscribe", "prompt"],
      verdict: .unknown(.lost),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      rule: "a prompt is not sent again if events may be missing",
      steps: [opened] + back + [
        .message(.connected("ready")),
        .message(.result(prompt("subscribe", stream: 2), data: ["catchUpComplete": false])),
      ],
      sent: ["subscribe", "prompt", "subscribe"],
      verdict: .unknown(.agentGone),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      rule: "an error that belongs to no turn is no refusal of a prompt that arrived",
      steps: [opened] + back + [
        .message(.connected("ready", sequence: 1, messageCount: 1)),
        .message(.error("Permission request not found: x")),
        .message(.result(prompt("subscribe", stream: 2))),
      ],
      sent: ["subscribe", "prompt", "subscribe"],
      verdict: .delivered(.accepted),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      rule: "a prompt that arrived is found in the events",
      steps: [opened] + back + [
        .message(.connected("busy", sequence: 2, messageCount: 1)), .message(.agentStart(1)),
      ],
      sent: ["subscribe", "prompt", "subscribe"],
      verdict: .delivered(.started),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      rule: "a refusal of a prompt that arrived is found in the events",
      steps: [opened] + back + [
        .message(.connected("ready", sequence: 1, messageCount: 1)),
        .message(.error("No API key", sequence: 1)),
        .message(.result(prompt("subscribe", stream: 2))), .event(.deleted),
      ],
      sent: ["subscribe", "prompt", "subscribe"],
      verdict: .refused(.agentRefused("No API key")),
      wishes: [.open, .look(since: nil), .close, .delete]
    ),
    Story(
      rule: "a prompt is unknown if the server was restarted",
      steps: [
        opened, .time(.seconds(2)), .event(.lost), opened,
        .event(.looked(.init(uptime: .seconds(1), status: .ready))),
      ],
      verdict: .unknown(.agentGone),
      wishes: [.open, .look(since: nil), .close]
    ),
    Story(
      rule: "a prompt in the trace of a restarted server was accepted",
      steps: [
        opened, .time(.seconds(2)), .event(.lost), opened,
        .event(.looked(.init(uptime: .zero, status: .stopped, userTexts: ["do it"]))),
      ],
      verdict: .delivered(.accepted),
      wishes: [.open, .look(since: nil), .close]
    ),
    Story(
      rule: "a prompt is not sent again to an existing session with new messages",
      isNew: false,
      steps: [opened, .message(.connected("ready", sequence: 4, messageCount: 2))] + back + [
        .message(.connected("ready", sequence: 8, messageCount: 4)),
        .message(.result(prompt("subscribe", stream: 2))),
      ],
      sent: ["subscribe", "prompt", "subscribe"],
      verdict: .unknown(.agentGone),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      rule: "a prompt is unknown if the agent's counter was reset",
      isNew: false,
      steps: [opened, .message(.connected("ready", sequence: 4, messageCount: 2))] + back + [
        .message(.connected("ready", sequence: 0, messageCount: 2))
      ],
      sent: ["subscribe", "prompt", "subscribe"],
      verdict: .unknown(.agentGone),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      rule: "a pending follow-up is found in the queue",
      isNew: false,
      steps: [opened, .message(.connected("busy", sequence: 4))] + back + [
        .message(.connected("busy", sequence: 4)),
        .message(.result(prompt("subscribe", stream: 2))), .message(.queue(["other", "T"])),
      ],
      sent: ["subscribe", "follow_up", "subscribe", "get_queue"],
      verdict: .delivered(.queued),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      rule: "a follow-up that is not found is not sent again",
      isNew: false,
      steps: [opened, .message(.connected("busy", sequence: 4))] + back + [
        .message(.connected("busy", sequence: 4)),
        .message(.result(prompt("subscribe", stream: 2))), .message(.queue([])),
      ],
      sent: ["subscribe", "follow_up", "subscribe", "get_queue"],
      verdict: .unknown(.agentGone),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      rule: "an unreachable server is retried until the deadline",
      steps: [
        opened, .time(.seconds(8)), .event(.lost), .event(.lost), .time(.milliseconds(100)),
        .event(.lost), .time(.milliseconds(200)), .event(.lost), .time(.seconds(5)),
      ],
      verdict: .unknown(.lost),
      wishes: [.open, .open, .open]
    ),
    Story(
      rule: "an older server reports the result over REST",
      steps: [
        openedOld, .event(.lost), openedOld, .message(.connected("starting")),
        .message(.state("busy", messageCount: 1)),
        .event(
          .looked(.init(uptime: .seconds(99), status: .busy, events: [ServerMessage.agentStart(1)]))
        ),
      ],
      sent: ["prompt"],
      verdict: .delivered(.started),
      wishes: [.open, .look(since: 0)]
    ),
    Story(
      rule: "a prompt is unknown if an older server has not kept the events",
      isNew: false,
      steps: askedOld + [
        .event(.lost), openedOld, .message(.connected("ready", sequence: 4)),
        .message(.state("ready", messageCount: 2)), .event(.looked(check)),
      ],
      sent: ["prompt"],
      verdict: .unknown(.agentGone),
      wishes: [.open, .look(since: 4)]
    ),
    Story(
      rule: "a prompt is unknown if another agent of an older server counts the events",
      isNew: false,
      steps: askedOld + [.event(.lost), openedOld, .message(.connected("ready", sequence: 3))],
      sent: ["prompt"],
      verdict: .unknown(.agentGone),
      wishes: [.open]
    ),
    Story(
      rule: "a prompt is unknown if its session on an older server was stopped",
      steps: [openedOld, .event(.lost), openedOld, .message(.connected("stopped"))],
      sent: ["prompt"],
      verdict: .unknown(.agentGone),
      wishes: [.open]
    ),
    Story(
      rule: "a prompt is unknown if the server refuses the client after it was sent",
      steps: [opened, .event(.shutOut)],
      verdict: .unknown(.shutOut)
    ),
    Story(
      rule: "a prompt is unknown if the server no longer accepts the token",
      steps: [opened, .event(.lost), .event(.shutOut)],
      verdict: .unknown(.shutOut),
      wishes: [.open]
    ),
  ]
}
