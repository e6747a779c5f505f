// SPDX-License-Identifier: MIT

import EventLoop
import HTTPCodec

extension StreamHandler {
  /// Serves the socket of an upgrade, which is closed when its token ends.
  func run(received: [UInt8], authorizedBy request: HTTPRequest) async {
    guard let access = connection.router.access else { return await run(received: received) }
    let lease = access.lease(for: request.bearer ?? "")
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        await run(received: received)
        return true
      }
      group.addTask {
        try? await connection.loop.sleep(until: lease.deadline)
        if !Task.isCancelled { lease.end.keep(.expired) }
        return false
      }
      group.addTask {
        if let end = await lease.end.value() { sender.close(end.code, reason: end.reason) }
        return false
      }
      for await isOver in group where isOver { group.cancelAll() }
    }
    access.release(lease)
  }
}
