// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite("AccessRefusal")
struct AccessRefusalTests {
  @Test(
    "each answer of /auth/refresh has its meaning",
    arguments: [
      (404, "unknown_device", .unknownDevice), (403, "revoked", .revoked),
      (401, "unknown_nonce", .staleChallenge), (401, "nonce_reused", .staleChallenge),
      (401, "nonce_expired", .staleChallenge), (401, "bad_signature", .badSignature),
      (429, "rate_limited", .rateLimited), (403, "HTTPS required", .httpsRequired),
      (413, "Request body too large", .invalidRequest), (400, "Invalid JSON", .invalidRequest),
      (400, "deviceId, nonce, and signature required", .invalidRequest),
      (401, "Unauthorized", .notOffered), (404, "Not found", .notOffered),
      (500, "boom", nil), (503, nil, nil),
    ] as [(Int, String?, AccessRefusal?)]
  )
  func refresh(status: Int, error: String?, refusal: AccessRefusal?) {
    #expect(AccessRefusal(refresh: status, error) == refusal)
  }

  @Test(
    "404 of /auth/challenge means a revoked device unless its challenges may be used up",
    arguments: [
      (404, "Unknown or revoked device", 0, .unknownDevice),
      (404, "Unknown or revoked device", 1, .unknownDevice),
      (404, "Unknown or revoked device", 2, .tooManyChallenges),
      (404, "Unknown or revoked device", nil, .tooManyChallenges),
      (404, "Not found", nil, .notOffered),
      (404, "Not found", 4, .notOffered), (401, "Unauthorized", 0, .notOffered),
      (429, "Too many challenge requests", 0, .rateLimited),
      (403, "HTTPS required", 0, .httpsRequired), (400, "deviceId required", 0, .invalidRequest),
      (502, nil, 0, nil),
    ] as [(Int, String?, Int?, AccessRefusal?)]
  )
  func challenge(status: Int, error: String?, open: Int?, refusal: AccessRefusal?) {
    #expect(AccessRefusal(challenge: status, error, openChallenges: open) == refusal)
  }

  @Test("only a device that can never sign in again must be paired again")
  func final() {
    #expect(
      AccessRefusal.allCases.filter(\.isFinal)
        == [.unknownDevice, .revoked, .badSignature, .notOffered]
    )
  }
}
