// SPDX-License-Identifier: MIT

import OppiModel
import Testing

/// What is kept of a server's request, and whether that is all of it.
@Suite struct PermissionRequestTests {
  /// A request as a server sends it.
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
    "a tool's name is whole up to 200 bytes, and cut beyond that, however long",
    arguments: [(200, true), (201, false), (1024, false), (1025, false), (100_000, false)]
  )
  func tool(count: Int, isWhole: Bool) throws {
    #expect(try Self.request(tool: count).isWhole == isWhole)
  }

  @Test(
    "an input is whole as far as there is room for it and its names",
    arguments: [((132 << 10) - 7, true), ((132 << 10) - 6, false), (1 << 20, false)]
  )
  func input(count: Int, isWhole: Bool) throws {
    let request = try Self.request(command: count)
    #expect(request.isWhole == isWhole)
    #expect((ApprovalPolicy.obstacle(to: .allow, request) == nil) == isWhole)
    #expect((ApprovalPolicy.obstacle(to: .allowForSession, request) == nil) == isWhole)
    #expect((ApprovalPolicy.obstacle(to: .allowEverywhere, request) == nil) == isWhole)
  }

  @Test(
    "without an input a request is as whole as its summary",
    arguments: [(16 << 10, true), ((16 << 10) + 1, false)]
  )
  func summary(count: Int, isWhole: Bool) throws {
    #expect(try Self.request(command: nil, summary: count).isWhole == isWhole)
    #expect(try Self.request(summary: count).isWhole)
  }

  @Test(
    "a reason that is cut makes the risk high, wherever it is cut",
    arguments: [(1024, false), (1025, true), (16 << 10, true), ((16 << 10) + 1, true)]
  )
  func reason(count: Int, isHigh: Bool) throws {
    let request = try Self.request(reason: count)
    #expect((request.risk == .high) == isHigh && request.isWhole)
  }
}
