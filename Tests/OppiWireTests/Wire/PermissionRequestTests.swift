// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire
import Testing

/// Limits of a request's parts, and whether a request is whole.
@Suite struct PermissionRequestTests {
  private static func request(
    tool: Int = 4,
    command: Int? = 2,
    summary: Int = 2,
    reason: Int = 2
  ) throws -> PermissionRequest {
    func text(_ count: Int) -> JSONValue { .string(String(repeating: "a", count: count)) }
    return try #require(
      PermissionRequest(json: [
        "id": "r", "tool": text(tool), "input": command.map { ["command": text($0)] } ?? .null,
        "displaySummary": text(summary), "reason": text(reason),
      ])
    )
  }

  @Test(
    "a tool name is whole up to 200 bytes, and truncated beyond that",
    arguments: [(200, true), (201, false), (1024, false), (1025, false), (100_000, false)]
  )
  func tool(count: Int, isWhole: Bool) throws {
    #expect(try Self.request(tool: count).isWhole == isWhole)
  }

  @Test(
    "an input is whole up to its size limit, member names included",
    arguments: [((132 << 10) - 7, true), ((132 << 10) - 6, false), (1 << 20, false)]
  )
  func input(count: Int, isWhole: Bool) throws {
    let request = try Self.request(command: count)
    #expect(request.isWhole == isWhole)
    for decision in [PermissionDecision.allow, .allowForSession, .allowEverywhere] {
      let reply = RequestReply.decision(decision)
      let obstacle = ApprovalPolicy.obstacle(to: reply, .permission(request), on: .command)
      #expect((obstacle == nil) == isWhole)
    }
  }

  @Test(
    "without an input, a request is whole if its summary is",
    arguments: [(16 << 10, true), ((16 << 10) + 1, false)]
  )
  func summary(count: Int, isWhole: Bool) throws {
    #expect(try Self.request(command: nil, summary: count).isWhole == isWhole)
    #expect(try Self.request(summary: count).isWhole)
  }

  @Test(
    "a truncated reason is high risk",
    arguments: [(1024, false), (1025, true), (16 << 10, true), ((16 << 10) + 1, true)]
  )
  func reason(count: Int, isHigh: Bool) throws {
    let request = try Self.request(reason: count)
    #expect((request.risk == .high) == isHigh && request.isWhole)
  }
}
