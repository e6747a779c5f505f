// SPDX-License-Identifier: MIT

import OppiTransport

/// Runs a body on a loop of its own, on the calling thread.
func onLoop<Success: Sendable>(
  _ body: @escaping @Sendable (EventLoop) async throws -> Success
) throws -> Success {
  let loop = try EventLoop()
  return try loop.run { () async -> Result<Success, any Error> in
    do { return .success(try await body(loop)) } catch { return .failure(error) }
  }.get()
}
