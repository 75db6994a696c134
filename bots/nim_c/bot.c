/* Nim, played perfectly: leaves heaps whose binary sum is zero where it can, else takes one from the largest. */
#include <stdio.h>

int main(void) {
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        int heaps[4], sum = 0, heap = 0, number = 1;
        if (sscanf(line, "%d %d %d %d", &heaps[0], &heaps[1], &heaps[2], &heaps[3]) != 4) return 1;
        for (int i = 0; i < 4; i++) {
            sum ^= heaps[i];
            if (heaps[i] > heaps[heap]) heap = i;
        }
        for (int i = 0; i < 4; i++)
            if (sum && (heaps[i] ^ sum) < heaps[i]) {
                heap = i;
                number = heaps[i] - (heaps[i] ^ sum);
                break;
            }
        printf("%d %d\n", heap, number);
        fflush(stdout);
    }
    return 0;
}
