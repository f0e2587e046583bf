/* SPDX-License-Identifier: MIT
 *
 * Runs a fuzz target over all files of the folders that are named, without libFuzzer. Every file is
 * also run cut short at each length (of its first kilobyte), which finds most reads past the end.
 */
#include "fuzz.h"

#include <dirent.h>

#define CUTS_MAX 1024

static size_t file_read(const char *path, uint8_t **ret_data)
{
    FILE *file = fopen(path, "rb");
    CHECK(file);
    CHECK(fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    CHECK(size >= 0);
    rewind(file);
    *ret_data = malloc((size_t)size + 1);
    CHECK(*ret_data && fread(*ret_data, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    return (size_t)size;
}

static void file_replay(const char *path)
{
    uint8_t *data;
    size_t size = file_read(path, &data);
    for (size_t cut = 0; cut < size && cut < CUTS_MAX; cut++) {
        uint8_t *copy = exact_copy(data, cut);
        LLVMFuzzerTestOneInput(copy, cut);
        free(copy);
    }
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

static int folder_replay(const char *folder)
{
    int files = 0;
    DIR *directory = opendir(folder);
    CHECK(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        char path[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        file_replay(path);
        files++;
    }
    closedir(directory);
    return files;
}

int main(int argc, char **argv)
{
    int files = 0;
    for (int i = 1; i < argc; i++)
        files += folder_replay(argv[i]);
    printf("%d inputs replayed\n", files);
    return files > 0 ? 0 : 1; /* an empty corpus tests nothing */
}
